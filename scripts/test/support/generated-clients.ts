/**
 * Uses of a client that a generator made from the OpenAPI document: verify an address, create and poll a task, read the
 * account, be refused. Each program prints the same lines.
 */
type GeneratedClient = {
  /** Programs of others that it takes, each pinned: a new version of one is no reason for a test to fail. */
  install: string[][];
  /** Makes the client out of `openapi.json`. */
  generate: string[][];
  /** Has a compiler or type checker look at client and program. */
  check: string[][];
  run: string[];
  files: Record<string, string>;
};

export const expectedLines = [
  'verified ada@example.com safe',
  'task ada@example.com safe',
  'task bob@example.com invalid',
  'account Examples paid',
  'refused 400 invalid_email',
];

const typescript: GeneratedClient = {
  install: [['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund']],
  generate: [['node_modules/.bin/openapi-typescript', 'openapi.json', '--output', 'schema.ts']],
  check: [['node_modules/.bin/tsc']],
  run: [process.execPath, 'use.ts'],
  files: {
    'package.json': JSON.stringify({
      type: 'module',
      private: true,
      dependencies: { 'openapi-fetch': '0.17.0', 'openapi-typescript': '7.13.0', typescript: '5.9.3' },
    }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        allowImportingTsExtensions: true,
        noEmit: true,
        types: [],
      },
    }),
    'use.ts': `import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

declare const process: { env: Record<string, string | undefined> };

const { MAILPROOF_URL: baseUrl = '', MAILPROOF_API_KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

function must<Data>({ data, error }: { data?: Data; error?: components['schemas']['Error'] }): Data {
  if (data === undefined) throw new Error(error?.reason);
  return data;
}

const verified = must(await client.POST('/api/v1/email-verification', { body: { email: 'ada@example.com' } }));
console.log('verified', verified.email, verified.status);

const emails = ['ada@example.com', 'bob@example.com'];
const { task_id: taskId } = must(await client.POST('/api/v1/bulk-email-verification', { body: { emails } }));
for (;;) {
  const path = { params: { path: { taskId } } };
  const { status, results } = must(await client.GET('/api/v1/bulk-email-verification/{taskId}', path));
  if (status === 'completed') {
    for (const email of emails) console.log('task', email, results?.[email]?.status);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}

const account = must(await client.GET('/api/v1/account'));
console.log('account', account.name, account.plan);

const refused = await client.POST('/api/v1/email-verification', { body: { email: 'nobody' } });
console.log('refused', refused.response.status, refused.error?.reason);
`,
  },
};

const python: GeneratedClient = {
  install: [
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/pip', 'install', '--quiet', 'openapi-python-client==0.29.1', 'mypy==2.4.1'],
  ],
  generate: [
    [
      ...['venv/bin/openapi-python-client', 'generate', '--path', 'openapi.json', '--meta', 'none'],
      ...['--config', 'generator.json', '--output-path', 'mailproof_client'],
    ],
  ],
  check: [['venv/bin/mypy', '--cache-dir', 'mypy', 'use.py', 'mailproof_client']],
  run: ['venv/bin/python', 'use.py'],
  files: {
    // The formatter that would run afterwards is left out.
    'generator.json': JSON.stringify({ post_hooks: [] }),
    'use.py': `import os
import sys
import time

import httpx
from mailproof_client import AuthenticatedClient
from mailproof_client.api.account import read_account
from mailproof_client.api.bulk_verification import create_bulk_task, read_bulk_task
from mailproof_client.api.verification import verify_email
from mailproof_client.models import (
    Account,
    BulkCreated,
    BulkProgress,
    BulkRequest,
    Error,
    VerificationRequest,
    VerificationResult,
)

client = AuthenticatedClient(
    base_url=os.environ["MAILPROOF_URL"],
    token=os.environ["MAILPROOF_API_KEY"],
    timeout=httpx.Timeout(60),
)

verified = verify_email.sync(client=client, body=VerificationRequest(email="ada@example.com"))
if not isinstance(verified, VerificationResult):
    sys.exit(str(verified))
print("verified", verified.email, verified.status)

created = create_bulk_task.sync(
    client=client, body=BulkRequest(emails=["ada@example.com", "bob@example.com"])
)
if not isinstance(created, BulkCreated):
    sys.exit(str(created))
while True:
    progress = read_bulk_task.sync(created.task_id, client=client)
    if not isinstance(progress, BulkProgress):
        sys.exit(str(progress))
    if progress.status == "completed" and progress.results:
        for email, record in sorted(progress.results.additional_properties.items()):
            print("task", email, record.status)
        break
    time.sleep(0.2)

account = read_account.sync(client=client)
if not isinstance(account, Account):
    sys.exit(str(account))
print("account", account.name, account.plan)

refused = verify_email.sync_detailed(client=client, body=VerificationRequest(email="nobody"))
if not isinstance(refused.parsed, Error):
    sys.exit(str(refused))
print("refused", refused.status_code.value, refused.parsed.reason)
`,
  },
};

const go: GeneratedClient = {
  install: [],
  generate: [
    [
      ...['go', 'run', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.1'],
      ...['-config', 'generator.yaml', 'openapi.json'],
    ],
    ['go', 'mod', 'tidy'],
  ],
  check: [['go', 'vet', './...']],
  run: ['go', 'run', '.'],
  files: {
    // Without skip-prune it drops the records of webhooks, and refers to them all the same.
    'generator.yaml':
      'package: mailproof\noutput: mailproof/client.go\ngenerate: {models: true, client: true}\noutput-options: {skip-prune: true}\n',
    'go.mod': 'module example.com/use\n\ngo 1.24.0\n\nrequire github.com/oapi-codegen/runtime v1.8.0\n',
    'mailproof/doc.go': '// Package mailproof is generated.\npackage mailproof\n',
    'use.go': `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/use/mailproof"
)

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("MAILPROOF_API_KEY"))
	return nil
}

func main() {
	ctx := context.Background()
	client, err := mailproof.NewClientWithResponses(os.Getenv("MAILPROOF_URL"), mailproof.WithRequestEditorFn(authorize))
	if err != nil {
		log.Fatal(err)
	}

	request := mailproof.VerificationRequest{Email: "ada@example.com"}
	verified, err := client.VerifyEmailWithResponse(ctx, nil, request)
	if err != nil || verified.JSON200 == nil {
		log.Fatal(err, verified.Status())
	}
	fmt.Println("verified", verified.JSON200.Email, verified.JSON200.Status)

	emails := []string{"ada@example.com", "bob@example.com"}
	created, err := client.CreateBulkTaskWithResponse(ctx, nil, mailproof.BulkRequest{Emails: emails})
	if err != nil || created.JSON201 == nil {
		log.Fatal(err, created.Status())
	}
	for {
		task, err := client.ReadBulkTaskWithResponse(ctx, created.JSON201.TaskId, nil)
		if err != nil || task.JSON200 == nil {
			log.Fatal(err, task.Status())
		}
		if results := task.JSON200.Results; results != nil {
			for _, email := range emails {
				fmt.Println("task", email, (*results)[email].Status)
			}
			break
		}
		time.Sleep(200 * time.Millisecond)
	}

	account, err := client.ReadAccountWithResponse(ctx)
	if err != nil || account.JSON200 == nil {
		log.Fatal(err, account.Status())
	}
	fmt.Println("account", account.JSON200.Name, account.JSON200.Plan)

	refused, err := client.VerifyEmailWithResponse(ctx, nil, mailproof.VerificationRequest{Email: "nobody"})
	if err != nil || refused.JSON400 == nil {
		log.Fatal(err, refused.Status())
	}
	fmt.Println("refused", refused.StatusCode(), refused.JSON400.Reason)
}
`,
  },
};

export const generatedClients = { TypeScript: typescript, Python: python, Go: go };

import { ESLint } from 'eslint';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Types and lint in one go: most rules of the lint ask for types, and working them out is most of the work of both. So
 * the compiler checks each project first, and the rules then ask the same compiler.
 *
 *     node scripts/check-code.ts
 */
const root = join(import.meta.dirname, '..');
const projects = ['tsconfig.json', 'console/tsconfig.json'];

const programs = projects.map(openProject);
const faults = programs.flatMap((program) => ts.getPreEmitDiagnostics(program));
if (faults.length > 0) process.stdout.write(describe(faults));
const linted = await lint(programs);
process.stdout.write(linted.text);
process.exitCode = faults.length > 0 || linted.failed ? 1 : 0;

function openProject(file: string): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic };
  const parsed = ts.getParsedCommandLineOfConfigFile(join(root, file), {}, host);
  if (parsed === undefined) throw new Error(`${file} cannot be read`);
  return ts.createProgram({ rootNames: parsed.fileNames, options: parsed.options });
}

function onUnRecoverableConfigFileDiagnostic(fault: ts.Diagnostic): never {
  throw new Error(describe([fault]));
}

function describe(diagnostics: ts.Diagnostic[]): string {
  return ts.formatDiagnosticsWithColorAndContext(diagnostics, {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });
}

/** With the compilers at hand in place of those that the lint would start for itself. */
async function lint(compiled: ts.Program[]): Promise<{ text: string; failed: boolean }> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: {
      files: ['**/*.ts', '**/*.tsx'],
      languageOptions: { parserOptions: { projectService: false, programs: compiled } },
    },
  });
  const results = await eslint.lintFiles('.');
  const formatter = await eslint.loadFormatter('stylish');
  const problems = results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
  return { text: await formatter.format(results), failed: problems > 0 };
}

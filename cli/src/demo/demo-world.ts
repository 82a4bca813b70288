/** The mail internet of the demonstration: its companies, beside the standard world that the tests know. */
import { domainToASCII } from 'node:url';
import { standardLists, standardWorld, type HostDescription, type WorldDescription } from '@mailproof/world';
import { companies, slowCompany, type Company } from './companies.ts';
import { addressOf } from './sample-list.ts';

export function demoWorld(): WorldDescription {
  const world = standardWorld();
  for (const company of [...companies, slowCompany]) {
    const domain = domainToASCII(company.domain);
    const hostName = company.host?.name ?? `mx.${domain}`;
    if (company.zone !== 'none') world.zones[domain] = company.zone ?? { mx: [[10, hostName]] };
    if (company.host !== undefined) world.hosts[hostName] = hostOf(company, company.host);
  }
  return world;
}

/** What the operator of the demonstration has on file, one entry a line. */
export function operatorLists(): { spamTraps: string; disposableDomains: string } {
  const traps = companies.flatMap((company) =>
    company.people.filter(({ status }) => status === 'spamtrap').map((person) => addressOf(person, company)),
  );
  const domains = companies.filter(({ disposable }) => disposable === true).map(({ domain }) => domain);
  return {
    spamTraps: `${[...traps, ...standardLists.spamTraps].join('\n')}\n`,
    disposableDomains: `${[...domains, ...standardLists.disposableDomains].join('\n')}\n`,
  };
}

function hostOf({ people }: Company, { temper }: NonNullable<Company['host']>): HostDescription {
  const known = people.flatMap(({ who, mailbox }) =>
    mailbox === undefined ? [] : [[who, mailbox] as const],
  );
  return { temper, mailboxes: Object.fromEntries(known) };
}

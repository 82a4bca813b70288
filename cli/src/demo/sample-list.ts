/** The list a newcomer drops into the console: everybody of the demonstration, and what real lists are full of. */
import { companies, type Company, type Person } from './companies.ts';

type SampleRow = { name: string; company: string; email: string };

/** Rows that are not somebody new: an address again in other letters, none at all, none that is one, a formula. */
const clutter: SampleRow[] = [
  { name: 'Ada Lindqvist', company: 'Northwind Traders', email: 'ADA@Northwind.example' },
  { name: 'Lena Fischer, again', company: 'Harbour Books', email: 'lena.fischer@harbour-books.example' },
  { name: 'No Address', company: 'Northwind Traders', email: '' },
  { name: 'Bad "Typing"', company: 'Old Mill Foundry', email: 'bruno@@old-mill.example' },
  { name: '=1+1', company: 'A formula, for the spreadsheet', email: 'chidi.okafor@northwind' },
];

export function addressOf({ who }: Person, { domain }: Company): string {
  return `${who}@${domain}`;
}

/** Everybody in turns, one of each company, so that every kind shows early in the list. */
export function sampleRows(): SampleRow[] {
  const most = Math.max(...companies.map(({ people }) => people.length));
  const rounds = Array.from({ length: most }, (_, round) =>
    companies.flatMap((company) => {
      const person = company.people[round];
      if (person === undefined) return [];
      return [{ name: person.name, company: company.name, email: addressOf(person, company) }];
    }),
  );
  return [...rounds.flat(), ...clutter];
}

/** CSV as spreadsheets write it (RFC 4180). */
export function sampleList(): string {
  const lines = sampleRows().map(({ name, company, email }) => [name, company, email].map(quoted).join(','));
  return ['name,company,email', ...lines, ''].join('\r\n');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

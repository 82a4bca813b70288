/** A few words of Czech, Estonian, Finnish, Hungarian and the Scandinavian languages. */
import type { Language } from './language.ts';

export const furtherLanguages: Language = {
  unknown: {
    '(ukendt|ukjent|okand) (bruger|bruker|anvandare|modtager|mottaker|mottagare)': '550 Okänd mottagare',
    '(neznam*|neexistujici) (uzivatel|prijemce|schranka|adresa|prijimatel)': '550 Neznámý uživatel',
    '(uzivatel|prijemce|schranka|adresa|prijimatel) ~ (neexistuje|neznam*|nenalezen*)':
      '550 Schránka neexistuje',
    '(kasutaja|kasutajat|saaja|aadress|aadressi|postkast|postkasti) ~ (tundmatu|puudub|ei (eksisteeri|ole|leitud|leita)|pole)':
      '550 Kasutajat ei ole',
    '(anvandaren|mottagaren|adressen|brugeren|modtageren|brukeren|mottakeren|brevladan) ~ (finns (inte|ej)|okand|findes ikke|ukendt|finnes ikke|ukjent|existerar inte)':
      '550 Mottagaren finns inte',
    '(kayttaja|kayttajaa|vastaanottaja|vastaanottajaa|osoite|osoitetta) ~ (tuntematon|ei (ole|loydy|loytynyt))':
      '550 Käyttäjää ei löydy',
    '(felhasznalo|cimzett|postafiok|cim) ~ (ismeretlen|nem letezik|nem talalhato)':
      '550 A címzett ismeretlen',
  },
  full: {
    '(brevlada*|brevladan|mailboxen|postkasse*|postlada*|innboks*|postboks*) ~ (full|fuld|overfull)':
      '552 Mottagarens brevlåda är full',
    '(postilaatikko|postkast) ~ (taynna|tais)': '552 Kasutaja postkast on täis',
    '(schrank*|postafiok*) ~ (pln*|megtelt)': '552 Schránka je plná',
  },
  disabled: {
    '(konto|schranka|postkast|kasutaja) ~ (deaktivovan*|blokovan*|suletud|blokeeritud|deaktiveeritud|peatatud)':
      '550 Konto on suletud',
  },
  patience: {},
  aboutUs: { '(saatja) ~ (keelatud|tundmatu|vale)': '550 Saatja on tundmatu' },
};

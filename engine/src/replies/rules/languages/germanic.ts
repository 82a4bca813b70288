/** German and Dutch. Umlauts come as plain vowels (ö → o) or written out by the server itself (oe). */
import type { Language } from './language.ts';

const deMailbox =
  'empfanger*|empfaenger*|benutzer*|nutzer|user|postfach*|postfaches|mailbox|adresse|emailadresse|mailadresse|*empfangeradresse|*empfaengeradresse|konto|mailkonto|account|teilnehmer|adressat|adressaten|kunde|person|mitarbeiter';

export const german: Language = {
  unknown: {
    [`(${deMailbox}) ~ (unbekannt|unbekannte|ungultig|ungueltig|geloscht|geloescht|entfernt|falsch|fehlerhaft|inexistent)`]:
      '550 Empfänger unbekannt',
    [`(${deMailbox}) ~ existiert (hier|leider|bei uns|so|auf diesem server)? nicht`]:
      '550 Das Postfach existiert leider nicht',
    [`(${deMailbox}) ~ nicht (mehr)? (gefunden|vorhanden|existent|existiert|bekannt|eingerichtet|erreichbar|zustellbar|registriert|verfugbar|verfuegbar|gultig|gueltig|mehr|vergeben|angelegt|auffindbar|ermittelt)`]:
      '550 Die Adresse ist hier nicht bekannt',
    [`(unbekannte*|ungultige*|ungueltige*|kein|keine|keinen|nicht existierende*|falsche*) (solche*|solcher|gultige*|gueltige*|bekannte*|lokale*)? (${deMailbox})`]:
      '550 Kein solcher Benutzer',
    [`(gibt es|existiert) (hier|bei uns|auf diesem server)? (nicht|kein*) (${deMailbox})?`]:
      '550 Diesen Namen gibt es hier nicht',
  },
  full: {
    '(postfach|postfaches|mailbox|mailkonto|konto|posteingang|postkorb|briefkasten|account) ~ (voll|uberfullt|ueberfuellt|uberschritten|ueberschritten|uberlauft|erschopft)':
      '552 Das Postfach des Empfängers ist voll',
    '(speicherplatz*|speicher|speicherlimit|speichergrenze|speichervolumen|limit|quota|kontingent|postfachgrosse) ~ (erreicht|erschopft|erschoepft|uberschritten|ueberschritten|voll|aufgebraucht|uberzogen)':
      '552 Der Speicherplatz ist erschöpft',
    '(zuviele|zu viele) (mails|nachrichten|emails) (auf|in|im)': '552 Zu viele Nachrichten im Posteingang',
    '(kein|keinen|nicht genugend|nicht genug|zu wenig) (freier|freien)? (speicher|speicherplatz|platz) ~ (postfach|empfanger*|benutzer*|konto)':
      '552 Kein Platz im Postfach',
  },
  disabled: {
    [`(${deMailbox}|dienst|vertrag) ~ (gesperrt|deaktiviert|inaktiv|stillgelegt|geschlossen|gekundigt|gekuendigt|abgeschaltet|eingestellt|blockiert|suspendiert|abgelaufen|eingefroren)`]:
      '550 Das Postfach ist gesperrt',
    '(gesperrte*|deaktivierte*|inaktive*|stillgelegte*) (postfach|konto|benutzer|empfanger|adresse|account|mailbox)':
      '550 Gesperrtes Konto, deaktivierte Adresse',
  },
  patience: {
    '(spater|spaeter|nochmals|nochmal|noch einmal|erneut) ~ (versuchen|probieren|senden|versuch|zustellen)':
      '451 Bitte später erneut versuchen',
    '(versuchen|probieren|versuche|versuch) ~ (spater|spaeter|erneut|noch einmal|nochmal|nochmals|minuten|sekunden|stunden)':
      '450 Versuchen Sie es in fünf Minuten',
    '(vorubergehend*|voruebergehend*|zeitweilig*|momentan|derzeit) ~ (nicht|fehler|storung|stoerung|gestort|uberlastet|gesperrt|abgelehnt)':
      '451 Der Dienst ist derzeit überlastet',
  },
  aboutUs: {
    '(absender*|absenderadresse|sender) ~ (abgelehnt|unbekannt*|ungultig*|ungueltig*|gesperrt|nicht|verweigert|blockiert|gefalscht|gefaelscht|unzulassig|kein*|hat|ohne)':
      '550 Absender abgelehnt',
    '(ihr|ihre|ihrer|ihrem|ihren) (mailserver|server|ip|host|adresse|absender*|domain|system|rechner|provider|netz)':
      '550 Ihr Mailserver ist uns unbekannt',
    '(ip|ipaddr|client*|server*|host*|rechner*) (adresse|adressen|name)': '550 Die IP-Adresse ist unbekannt',
    '(adresse|name|domain) (des|ihres|vom|von) (absender*|client*|server*|host*|sender*|rechner*)':
      '550 Die Adresse des Servers ist unbekannt',
    '(unbekannte*|ungultige*|ungueltige*|kein|falsche*) (absender*|sender)': '550 Unbekannter Absender',
  },
};

const nlMailbox =
  'gebruiker|gebruikers|ontvanger|ontvangers|adres|*mailadres|emailadres|geadresseerde|postvak|mailbox|account|brievenbus|postbus|klant|persoon';

export const dutch: Language = {
  unknown: {
    [`(${nlMailbox}) ~ (onbekend|onbekende|ongeldig|ongeldige|verwijderd|onvindbaar|onjuist|opgeheven)`]:
      '550 Gebruiker onbekend',
    [`(${nlMailbox}) ~ (bestaat|bestaan) (hier|helaas)? (niet|niet meer)`]: '550 Dit adres bestaat niet meer',
    [`(${nlMailbox}) ~ niet (meer)? (gevonden|bekend|geldig|geregistreerd|aanwezig|bereikbaar|in gebruik|beschikbaar)`]:
      '550 De ontvanger is niet gevonden',
    [`(onbekend|onbekende|ongeldig|ongeldige|geen|niet bestaande|verkeerd|verkeerde) (dergelijke|geldige)? (${nlMailbox})`]:
      '550 Onbekende ontvanger',
  },
  full: {
    '(postvak|brievenbus|mailbox|inbox|postbus) ~ (vol|overvol)': '552 De mailbox van de ontvanger is vol',
    '(quota|quotum|opslagruimte|opslaglimiet|limiet|ruimte) ~ (overschreden|bereikt|vol|op|onvoldoende)':
      '552 De opslagruimte is op',
    '(onvoldoende|geen|niet genoeg) ~ (opslagruimte|ruimte) ~ (mailbox|postvak|inbox|gebruiker|ontvanger)':
      '552 Er is geen ruimte in de mailbox',
  },
  disabled: {
    [`(${nlMailbox}|abonnement) ~ (geblokkeerd|uitgeschakeld|inactief|opgeschort|gedeactiveerd|opgezegd|gesloten|verlopen|bevroren|niet actief|niet meer actief)`]:
      '550 Dit postvak is geblokkeerd',
  },
  patience: {
    '(later|nogmaals|opnieuw|nog eens) ~ (opnieuw|proberen|probeer|versturen)': '451 Later opnieuw proberen',
    '(probeer|probeert) ~ (later|opnieuw|nogmaals|minuten)': '450 Probeer het over vijf minuten',
    '(tijdelijk|tijdelijke) ~ (niet|fout|storing|onbereikbaar|geweigerd)': '451 Tijdelijke storing',
  },
  aboutUs: {
    '(afzender*) ~ (geweigerd|onbekend|ongeldig|geblokkeerd|niet|bestaat)': '550 Afzender onbekend',
    '(uw|jouw|je) (server|mailserver|ip|host|adres|afzender|domein|netwerk)': '550 Uw server is onbekend',
    '(ip|ipaddr|client|server) (adres|adressen)': '550 Het IP-adres is onbekend',
    '(adres|domein|naam) van (de|het|uw|een)? (afzender*|client|server|host|verzender)':
      '550 Het adres van de client is onbekend',
  },
};

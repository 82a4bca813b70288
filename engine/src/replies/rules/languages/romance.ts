/** French, Spanish, Portuguese and Italian, without their accents. */
import type { Language } from './language.ts';

const frMailbox =
  'destinataire|destinataires|utilisateur|utilisateurs|adresse|adresses|boite|compte|bal|mailbox|messagerie|abonne|usager|correspondant|client';

export const french: Language = {
  unknown: {
    [`(${frMailbox}) ~ (inconnu|inconnue|inconnus|inexistant|inexistante|introuvable|invalide|invalides|erronee|errone|incorrecte|incorrect|supprime|supprimee|non valide|non trouve|non trouvee|non reconnu|non reconnue)`]:
      '550 5.1.1 Adresse du destinataire inconnue, OFR_416',
    [`(${frMailbox}) ~ (existe|est|sont|figure|correspond) (pas|plus|a aucun)`]:
      "550 Cette boîte n'existe pas",
    [`(aucun|aucune|pas de|pas d|mauvais|mauvaise) (tel|telle)? (${frMailbox}) ~ (nom|adresse|ici|trouve*|correspond*|existe)`]:
      '550 Aucun compte ne correspond à cette adresse',
    [`(inconnu|inconnue|inexistant|inexistante) (a|de|dans|sur|chez|en) (cette|ce|notre|nos|la|le|l)? (adresse|serveur|domaine|annuaire|base|systeme)`]:
      '550 Inconnu à cette adresse',
  },
  full: {
    '(boite|bal|messagerie|compte|reception) ~ (pleine|plein|saturee|sature|remplie)':
      '552 5.1.1 Boite du destinataire pleine, OFR_417',
    'limite ~ (boite|messagerie|stockage) ~ (atteinte|depassee)': '552 La limite de cette boîte est atteinte',
    '(quota|espace|capacite|volume|taille maximale) ~ (depasse|depassee|atteint|atteinte|sature|saturee|insuffisant|insuffisante|epuise)':
      '552 Quota du destinataire dépassé',
    '(depasse|depassement|atteint) ~ quota': '552 Dépassement du quota',
    '(plus|pas|manque) (assez)? (de|d) (place|espace) ~ (boite|compte|destinataire|utilisateur)':
      '552 Plus de place dans la boîte',
  },
  disabled: {
    [`(${frMailbox}) ~ (desactive*|suspendu*|bloque*|inacti*|archive*|ferme|fermee|resilie*|cloture*|expire|expiree|gele|gelee|verrouille*)`]:
      '550 5.1.1 Boite du destinataire archivee',
    '(abonnement|contrat) ~ (expire|resilie|suspendu|termine)': '550 Abonnement résilié',
  },
  patience: {
    '(reessayer|reessayez|ressayer|retenter|retentez|renouveler|renouvelez|essayer|essayez)':
      '451 Veuillez réessayer',
    '(temporaire|temporairement|momentanement|provisoirement)': '451 Service momentanément indisponible',
    'plus tard': '450 Revenez plus tard',
  },
  aboutUs: {
    '(emetteur|expediteur) ~ (invalide|refuse|inconnu|rejete|bloque|interdit|non autorise|existe pas|non valide)':
      '501 5.1.0 Emetteur invalide, voir OFR004_405',
    '(adresse|domaine|nom) (de|du|d|de la|de votre)? (emetteur|expediteur|serveur|client|hote)':
      "550 Le domaine de l'expediteur n'existe pas",
    '(votre|vos) (serveur|serveurs|ip|adresse|adresses|domaine|hote|reseau|fournisseur|compte)':
      '550 Votre adresse est inconnue',
    'adresse ip': "550 L'adresse IP est invalide",
  },
};

const esMailbox =
  'usuario|usuarios|destinatario|destinatarios|buzon|cuenta|direccion|casilla|correo|persona|receptor|abonado|cliente|mailbox|bandeja';

export const spanish: Language = {
  unknown: {
    [`(${esMailbox}) ~ (desconocid*|inexistente*|invalid*|incorrect*|eliminad*|borrad*|erroneo|erronea|no valid*|no encontrad*|no registrad*|no disponible|no localizad*|no reconocid*)`]:
      '550 El usuario es desconocido',
    [`(${esMailbox}) ~ no (se)? (existe*|encontro|encuentra|ha sido encontrad*|fue encontrad*|es valid*|esta (registrad*|disponible|dad*))`]:
      '550 El usuario no existe',
    [`no (existe*|hay|tenemos|se encuentra|se encontro|encontramos|se ha encontrado) (el|la|ese|este|esa|esta|dicho|dicha|un|una|ningun|ninguna|al)? (${esMailbox})`]:
      '550 No existe ese usuario',
    [`(desconocid*|inexistente|ningun|ninguna) (${esMailbox})`]: '550 Ningún usuario con ese nombre',
  },
  full: {
    '(buzon|casilla|cuenta|bandeja|correo) ~ (lleno|llena|excedid*|sobrepas*|saturad*)':
      '552 5.2.2 El buzón del destinatario está lleno',
    '(cuota|capacidad|espacio|almacenamiento) ~ (excedid*|superad*|sobrepas*|llena|lleno|agotad*|insuficiente)':
      '552 Cuota excedida',
    '(excedido|superado|excede|supera|supero|sobrepasado|excedio) ~ (cuota|capacidad|espacio|limite de almacenamiento|tamano del buzon)':
      '552 El usuario ha superado su cuota',
    '(sin|no hay|no tiene|falta de) (suficiente|mas)? espacio': '552 El usuario no tiene espacio',
  },
  disabled: {
    [`(${esMailbox}|suscripcion) ~ (desactivad*|suspendid*|deshabilitad*|inactiv*|bloquead*|cerrad*|inhabilitad*|cancelad*|caducad*|congelad*|vencid*|dad* de baja)`]:
      '550 La cuenta ha sido desactivada',
  },
  patience: {
    '(mas tarde|mas adelante|nuevamente|de nuevo|otra vez) ~ (intent*|pruebe|reintent*|envi*)':
      '451 Más tarde reintente',
    '(intente*|intentar|intentelo|reintente*|pruebe|vuelva) ~ (mas tarde|de nuevo|nuevamente|otra vez|luego|minutos|a intentar*)':
      '451 Intente de nuevo más tarde',
    '(temporal|temporalmente|momentaneamente|transitorio)': '450 Servicio temporalmente fuera de línea',
  },
  aboutUs: {
    '(remitente|emisor) ~ (rechazad*|desconocid*|invalid*|bloquead*|no|inexistente|prohibid*)':
      '550 Remitente desconocido',
    '(su|tu) (servidor|ip|direccion ip|dominio|host|red|proveedor)': '550 Su dominio es desconocido',
    'direccion ip': '550 Dirección IP desconocida',
    '(direccion|dominio|nombre) (del|de|de su|de la)? (remitente|emisor|servidor|cliente smtp|host)':
      '550 La dirección del servidor no existe',
  },
};

const ptMailbox =
  'usuario|usuarios|utilizador|destinatario|destinatarios|caixa|conta|endereco|email|mailbox|assinante|cliente|recipiente';

export const portuguese: Language = {
  unknown: {
    [`(${ptMailbox}) ~ (desconhecid*|inexistente*|invalid*|incorret*|excluid*|removid*|apagad*|nao encontrad*|nao localizad*|nao cadastrad*|nao valid*|nao registad*|nao registrad*|nao disponivel)`]:
      '550 Destinatário desconhecido',
    [`(${ptMailbox}) ~ nao (existe*|foi (encontrad*|localizad*)|esta (cadastrad*|disponivel|registad*)|consta|pertence|e valid*)`]:
      '550 A conta não foi encontrada',
    [`(nao existe*|nao ha|nao temos|nenhum|nenhuma) (o|a|esse|essa|este|esta|um|uma|tal|nenhum|nenhuma)? (${ptMailbox})`]:
      '550 Não existe esse usuário',
  },
  full: {
    '(caixa|conta|mailbox|usuario|utilizador|destinatario) ~ (cheia|cheio|lotada|lotado|excedid*|excedeu|esgotada)':
      '552 A caixa postal do destinatario esta cheia',
    '(cota|quota|espaco|capacidade|limite de armazenamento) ~ (excedid*|esgotad*|estourad*|ultrapassad*|insuficiente|atingid*)':
      '552 Cota do destinatário excedida',
    '(excedeu|ultrapassou|atingiu|estourou) ~ (cota|quota|limite|espaco|capacidade)':
      '552 O destinatário ultrapassou o limite',
    '(sem|nao ha|nao tem|falta de) (mais)? espaco': '552 O usuário está sem espaço',
  },
  disabled: {
    [`(${ptMailbox}|assinatura) ~ (desativad*|suspens*|inativ*|bloquead*|desabilitad*|cancelad*|encerrad*|expirad*|congelad*|vencid*|desactivad*|fechad*)`]:
      '550 A conta do destinatario foi bloqueada',
  },
  patience: {
    '(mais tarde|novamente|outra vez|de novo) ~ (tent*|envie)': '451 Mais tarde tente',
    '(tente|tentar|retente|volte) ~ (mais tarde|novamente|outra vez|de novo|minutos)':
      '451 Tente novamente mais tarde',
    '(temporario|temporariamente|temporaria|momentaneamente)': '450 Indisponível temporariamente',
  },
  aboutUs: {
    '(remetente|emissor) ~ (rejeitad*|recusad*|desconhecid*|invalid*|bloquead*|nao|inexistente)':
      '550 Remetente recusado',
    '(seu|sua|vosso) (servidor|ip|dominio|host|rede|provedor|endereco ip)': '550 Seu domínio é desconhecido',
    'endereco ip': '550 Endereço IP inválido',
    '(endereco|dominio|nome) (do|de|da|do seu)? (remetente|emissor|servidor|host)':
      '550 Endereço do servidor desconhecido',
  },
};

const itMailbox =
  'utente|utenti|destinatario|destinatari|casella|indirizzo|account|mailbox|cliente|utenza|abbonato|email';

export const italian: Language = {
  unknown: {
    [`(${itMailbox}) ~ (sconosciut*|inesistente|inesistenti|errato|errata|cancellat*|eliminat*|rimoss*|non (trovat*|valid*|registrat*|riconosciut*|disponibile|presente|corrett*))`]:
      '550 Utente sconosciuto',
    [`(${itMailbox}) ~ non (piu)? (esiste|esistono|e (piu)? (stat* trovat*|valid*|registrat*|attiv*|presente|disponibile)|risulta)`]:
      '550 La casella non esiste',
    [`(non esiste|nessun|nessuna|nessuno|non c e|non abbiamo) (alcun|alcuna|un|una|la|il|tale|questo|questa|quest)? (${itMailbox})`]:
      '550 Nessun utente con questo nome',
  },
  full: {
    '(casella|mailbox|posta) ~ (piena|satura|esaurit*|riempita)': '552 La casella del destinatario è piena',
    '(quota|spazio|capacita|limite) ~ (superat*|esaurit*|insufficiente|raggiunt*|eccedut*)':
      '552 Lo spazio è esaurito',
    '(superato|superata|raggiunto|esaurito|ecceduto) ~ (quota|spazio|limite di spazio|capacita|casella)':
      '552 Superata la quota',
  },
  disabled: {
    [`(${itMailbox}|abbonamento) ~ (disattivat*|disabilitat*|sospes*|bloccat*|inattiv*|chius*|scadut*|congelat*|dismess*)`]:
      '550 Casella disattivata',
  },
  patience: {
    '(piu tardi|nuovamente|di nuovo) ~ (riprov*|ritent*|prov*)': '451 Più tardi riprovare',
    '(riprova|riprovare|riprovate|ritentare|ritenta|provare|riprovi)': '451 Riprovare più tardi',
    '(temporaneo|temporaneamente|temporanea|momentaneamente)': '450 Temporaneamente fuori servizio',
  },
  aboutUs: {
    'mittente ~ (rifiutat*|sconosciut*|non|bloccat*|invalid*|inesistente|respint*)':
      '550 Mittente sconosciuto',
    '(tuo|vostro|suo|tua|vostra|sua) (server|ip|dominio|host|rete|indirizzo|provider)':
      '550 Il vostro indirizzo è sconosciuto',
    'indirizzo ip': '550 Indirizzo IP sconosciuto',
    '(indirizzo|dominio|nome) (del|di|dello|del vostro)? (mittente|server|host|client)':
      '550 Indirizzo del server sconosciuto',
  },
};

/** Polish, Russian and Turkish: Polish and Turkish without their marks, Russian in Cyrillic and in Latin letters. */
import type { Language } from './language.ts';

const plMailbox =
  'uzytkownik*|odbiorca|odbiorcy|odbiorce|adres|adresu|adresat|adresata|skrzynk*|konto|konta|klient|abonent';

export const polish: Language = {
  unknown: {
    [`(${plMailbox}) ~ (nieznany|nieznana|nieznane|nieprawidlow*|niewlasciw*|bledny|bledne|usuniet*|skasowan*|niepoprawn*|nieistniejac*|nieosiagaln*)`]:
      '550 Uzytkownik nieznany',
    [`(${plMailbox}) ~ nie (istnieje|istnieja|znaleziono|zostal* znalezion*|jest (znan*|zarejestrowan*|poprawn*|prawidlow*)|figuruje|wystepuje|odnaleziono)`]:
      '550 Skrzynka nie istnieje',
    [`(nieznany|nieznana|nieprawidlowy|nieprawidlowa|nieistniejacy|nieistniejaca|bledny|niepoprawny) (adres)? (${plMailbox})`]:
      '550 Nieznany odbiorca',
    [`(nie ma|brak|nie znaleziono|nie istnieje|nie odnaleziono) (takiego|takiej|tego|tej|taki|taka|podanego|wskazanego)? (${plMailbox})`]:
      '550 Nie ma takiego konta',
  },
  full: {
    '(skrzynk*|konto|poczta) ~ (peln*|przepeln*|zapeln*)': '552 Skrzynka jest pelna',
    '(przekroczon*|przekroczyl*|wyczerpan*|osiagniet*) ~ (limit*|quota|quote|pojemnos*|miejsc*|przestrze*|rozmiar*)':
      '552 Przekroczony limit pojemności',
    '(limit*|quota|pojemnos*|przestrze*|miejsc*) ~ (przekroczon*|wyczerpan*|zapeln*)':
      '552 Pojemność została przekroczona',
    'brak (wolnego)? miejsca ~ (skrzyn*|kon*)': '552 Brak miejsca w skrzynce',
  },
  disabled: {
    [`(${plMailbox}|abonament) ~ (zablokowan*|nieaktywn*|zawieszon*|wylaczon*|dezaktywowan*|zamkniet*|wygas*|zamrozon*)`]:
      '550 Konto zablokowane',
  },
  patience: {
    '(sprobuj|prosze sprobowac|sprobowac|ponow|prosimy sprobowac|powtorz) ~ (pozniej|ponownie|za|jeszcze)':
      '451 Spróbuj ponownie później',
    '(tymczasow*|chwilow*) ~': '451 Tymczasowy błąd serwera',
    'szara lista': '450 Szara lista',
  },
  aboutUs: {
    '(nadawca|nadawcy|nadawce)': '550 Nadawca nieznany',
    '(twoj|twoja|wasz|panstwa) (serwer|ip|adres|domena|host)': '550 Twój adres jest nieznany',
    '(adres|adresu|nazwa) (ip|serwera|klienta|hosta)': '550 Adres IP jest nieprawidłowy',
  },
};

const ruMailbox =
  'пользовател*|получател*|адрес*|адресат*|абонент*|ящик*|аккаунт*|учетн*|почтов*|клиент*|логин*|имя|имени';
const ruLatin =
  'polzovatel*|poluchatel*|adres|adresat|abonent|yashchik*|yaschik*|jaschik*|jashik*|yashik*|akkaunt*|yascik';

export const russian: Language = {
  unknown: {
    [`(${ruMailbox}) ~ (неизвест*|отсутствует|удален*|недействител*|некорректн*|неверн*|неверен|недоступен|неправильн*|несуществующ*)`]:
      '550 Пользователь неизвестен',
    [`(${ruMailbox}) ~ не (существует|найден*|зарегистрирован*|обнаружен*|значится|известен|обслуживается)`]:
      '550 Пользователь не найден',
    [`(нет|неизвестн*|несуществующ*|неверн*|некорректн*|отсутствует) (такого|такой|этого|данного|указанного)? (${ruMailbox})`]:
      '550 Нет такого пользователя',
    [`не (найден*|существует|зарегистрирован*) (такого|такой|этого|данного|указанного|указанный)? (${ruMailbox})`]:
      '550 Не найден получатель',
    [`(такого|такой|этого|данного|указанного) (почтового)? (${ruMailbox}) (у нас|здесь|на сервере)? (нет|не)`]:
      '550 Такого ящика нет',
    [`(${ruLatin}) ~ (neizvesten|neizvestnyj|neizvestnyi|udalen|otsutstvuet|nedejstvitelen|ne (najden|nayden|naiden|sushchestvuet|suschestvuet|sushestvuet|zaregistrirovan))`]:
      '550 Polzovatel ne najden',
    [`(net|neizvestnyj|neizvestnyi|neizvestnyy) (takogo|takoj)? (${ruLatin})`]: '550 Net takogo polzovatelya',
  },
  full: {
    '(ящик*|почтов*|папк*|хранилищ*) ~ (переполнен*|заполнен*|полон)':
      '552 Почтовый ящик получателя переполнен',
    '(переполнен*|заполнен*) ~ (ящик*|папк*)': '552 Переполнен ящик получателя',
    '(превышен*|исчерпан*|превысил*) ~ (квот*|размер*|лимит* ящик*|объем*|места)': '552 Превышена квота',
    '(квот*|лимит ящика|место) ~ (превышен*|исчерпан*|закончил*)': '552 Квота пользователя исчерпана',
    '(нет|недостаточно) (свободного)? места ~ (ящик*|пользовател*|получател*)':
      '552 Недостаточно места в ящике',
    [`(${ruLatin}) ~ (perepolnen|zapolnen)`]: '552 Yashchik perepolnen',
    '(prevyshena|prevyshen|ischerpana) ~ (kvota|razmer|obem)': '552 Prevyshena kvota',
  },
  disabled: {
    [`(${ruMailbox}|запись) ~ (заблокирован*|отключен*|деактивирован*|неактивен|неактивн*|приостановлен*|закрыт*|заморожен*|выключен*|не активирован*|не активен)`]:
      '550 Почтовый ящик заблокирован',
    [`(${ruLatin}) ~ (zablokirovan*|otklyuchen|otkluchen|otkljuchen|neaktiven|zakryt|zamorozhen)`]:
      '550 Akkaunt zablokirovan',
  },
  patience: {
    '(повторите|попробуйте|попытайтесь|повторить|попробовать|повтор)': '451 Попробуйте позже',
    '(временн*|позже|позднее|минут*)': '451 Сервис временно недоступен',
    '(poprobujte|poprobuyte|povtorite) ~ (pozzhe|pozdnee|snova|popytku)': '451 Povtorite popytku pozzhe',
  },
  aboutUs: {
    '*отправител*': '550 Адрес отправителя отклонён',
    '(ваш|ваша|ваше|вашего|вашей|ваши) (сервер*|ip|адрес*|домен*|хост*|провайдер*|сеть)':
      '550 Ваш адрес неизвестен',
    '(ip адрес*|ip ipaddr|адрес* (ip|ipaddr|сервера|клиента|хоста))': '550 IP-адрес неизвестен',
    'otpravitel*': '550 Otpravitel neizvesten',
  },
};

const trMailbox =
  'kullanici|kullanicisi|kullanicinin|alici|alicinin|adres|adresi|adresiniz|hesap|hesabi|kutusu|kutu|abone|kisi|posta';

export const turkish: Language = {
  unknown: {
    [`(${trMailbox}) ~ (bulunamadi|bulunamamistir|bulunmuyor|bulunmamaktadir|mevcut degil|mevcut degildir|yok|yoktur|gecersiz|gecersizdir|bilinmiyor|bilinmeyen|tanimsiz|silinmis|silindi|hatali|yanlis|kayitli degil|gecerli degil|tanimli degil)`]:
      '550 Kullanici bulunamadi',
    [`(bilinmeyen|gecersiz|tanimsiz|boyle bir|hatali|olmayan) (eposta|e posta|posta)? (${trMailbox})`]:
      '550 Bilinmeyen kullanıcı',
  },
  full: {
    '(kutusu|kutu|posta|hesap|hesabi) ~ (dolu|doldu|dolmus*|doludur)': '552 Posta kutusu dolu',
    '(kota|kotasi|kotayi|kapasite|kapasitesi|alani|alan) ~ (asildi|asti|asmis|dolu|doldu|doldurdu|dolmus|yetersiz|asilmis)':
      '552 Kullanıcının kotası aşıldı',
  },
  disabled: {
    [`(${trMailbox}|aboneligi) ~ (askiya|devre disi|pasif|kapali|kapatilmis|kapatildi|dondurulmus|donduruldu|kilitli|kilitlendi|engellenmis|aktif degil|iptal|suresi (doldu|dolmus))`]:
      '550 Hesap askıya alınmış',
  },
  patience: {
    '(daha sonra|sonra|tekrar|yeniden) ~ (deneyin|deneyiniz|dene|gonderin)': '451 Tekrar deneyin',
    '(gecici|gecici olarak|simdilik)': '451 Geçici hata',
  },
  aboutUs: {
    '(gonderen|gonderenin|gonderici)': '550 Gönderen geçersiz',
    '(ip|ipaddr|sunucu|istemci) (adresi|adresiniz|adres)': '550 IP adresi geçersiz',
    '(sunucunuz|sunucunuzun|adresiniz) ~': '550 Sunucunuz engellendi',
  },
};

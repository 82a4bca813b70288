/**
 * Brings a reply into the one form the rules are asked about. Servers say the same thing in many spellings, with the
 * address in question, their own name and a ticket number mixed in; here the accidents are taken away.
 */
import type { ReplyParties, ReplyToClassify } from './meaning.ts';
import { providerNamed, type ProviderId } from './providers.ts';
import { namesUsAlone, withOurNames, withoutWordsAboutUs } from './words-about-us.ts';

/** The input of a rule: the reply itself, or the one it quotes, or the words around that one. */
export type PlainReply = {
  /** First digit of the code; 0 if there is no sensible one. */
  replyClass: number;
  code: number;
  /** Only if its class agrees with the code's: a server that contradicts itself proves nothing by it. */
  enhanced: string | undefined;
  /** The text as plain words between spaces; see `normaliseText`. */
  words: string;
  /** The same without the statements about senders, clients, services and messages; see `withoutWordsAboutUs`. */
  wordsAboutRecipient: string;
  provider: ProviderId | undefined;
};

export type NormalisedReply = PlainReply & {
  /** Class of the reply on the wire, if the deciding one was quoted inside it. */
  outerClass: number;
  /** The words in which another reply is quoted; none if nothing is quoted. */
  around: PlainReply | undefined;
  namesUsAlone: boolean;
};

/** Longer texts are cut before anything looks at them, which bounds the work per reply. */
const maxTextCharacters = 2_048;

export function normaliseReply(reply: ReplyToClassify, parties?: ReplyParties): NormalisedReply {
  const said = reply.text.slice(0, maxTextCharacters);
  const text = withOurNames(said, parties).slice(0, maxTextCharacters);
  const provider = reply.provider === undefined ? undefined : providerNamed(reply.provider);
  const { code, enhanced } = reply;
  const { innermost, around } = unwrapReply({ code, enhanced, text });
  return {
    ...plainReply(innermost, provider),
    outerClass: classOf(code, enhanced),
    around: around === '' ? undefined : plainReply({ code, enhanced, text: around }, provider),
    namesUsAlone: namesUsAlone(said, parties),
  };
}

function plainReply(
  { code, enhanced, text }: { code: number; enhanced: string | undefined; text: string },
  provider: ProviderId | undefined,
): PlainReply {
  const replyClass = classOf(code, enhanced);
  const words = normaliseText(text);
  return {
    replyClass,
    code,
    enhanced: agreeingCode(replyClass, enhanced ?? enhancedCodeIn(text)),
    words,
    wordsAboutRecipient: withoutWordsAboutUs(words),
    provider,
  };
}

function classOf(code: number, enhanced: string | undefined): number {
  if (Number.isInteger(code) && code >= 200 && code <= 599) return Math.floor(code / 100);
  const stated = /^[245]/u.exec(enhanced ?? '')?.[0];
  return stated === undefined ? 0 : Number(stated);
}

function agreeingCode(replyClass: number, enhanced: string | undefined): string | undefined {
  const code = enhanced === undefined ? undefined : /^[245]\.\d{1,3}\.\d{1,3}$/u.exec(enhanced.trim())?.[0];
  return code?.startsWith(String(replyClass)) === true ? code : undefined;
}

/**
 * Returns an enhanced code that the text carries: after at most two short words at its head (`cuda_nsu 5.1.1`), or
 * anywhere when it is marked with `#` as qmail and IronPort do. A bare one further on may be a version or half an
 * address.
 */
function enhancedCodeIn(text: string): string | undefined {
  const atHead = /^(?:[\w()[\]:-]{1,24} ){0,2}[([#]?([245]\.\d{1,3}\.\d{1,3})(?![.\d])/u.exec(text)?.[1];
  return atHead ?? /#([245]\.\d{1,3}\.\d{1,3})(?![.\d])/u.exec(text)?.[1];
}

/**
 * Returns plain words: lower case, without accents on Latin letters, contractions written out, no punctuation but `
 * . ` between sentences. Every mail address becomes ` addr ` and every IP address ` ipaddr `, so that no address can
 * be read as words. The text begins and ends with a space, so that every word stands between two.
 */
export function normaliseText(text: string): string {
  const plain = plainLetters(text)
    .replace(/[\u2018\u2019\u00B4`]/gu, "'")
    .replace(/[\u200B-\u200F\u00AD\uFEFF]/gu, '');
  const words = separateWords(plainWords(withoutAddresses(withoutContinuations(plain))));
  return ` ${spelledAlike(words).trim()} `.replace(/\s{1,2048}/gu, ' ');
}

/** Letters that Unicode does not decompose, as typed on a keyboard without them. */
const spelledOut: Readonly<Record<string, string>> = {
  ł: 'l',
  ı: 'i',
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ё: 'е',
};

function plainLetters(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/(?<=[a-z])\p{M}{1,8}/giu, '')
      .normalize('NFC')
      .toLowerCase()
      .replace(/[łıßøđæœё]/gu, (letter) => spelledOut[letter] ?? letter)
      // One character may decompose into eighteen (U+FDFA): the bound has to hold after that, too.
      .slice(0, maxTextCharacters)
  );
}

/** Removes `550-5.1.1` from the beginning of each line of a long reply, left over from joining the lines. */
function withoutContinuations(text: string): string {
  return text
    .replace(/(?<=^|\s)[245]\d\d(?:-|\s(?=[245]\.\d))(?:[245]\.\d{1,3}\.\d{1,3}(?=\s))?/gu, ' ')
    .replace(/\\r|\\n|\\t/gu, ' ');
}

function withoutAddresses(text: string): string {
  return withoutMailAddresses(text)
    .replace(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/gu, ' ipaddr ')
    .replace(/(?<![\w.])x{1,3}(?:\.x{1,3}){3}(?![\w.])/gu, ' ipaddr ')
    .replace(/(?<![\w:])[\da-f]{1,4}(?::[\da-f]{0,4}){3,7}(?![\w:])/gu, ' ipaddr ');
}

/**
 * Searched from each `@` to both sides: a search that begins with the local part looks 64 characters ahead of every
 * letter.
 */
const mailAddress =
  /(?<=(?<localPart>[^\s<>@"'(),:;[\]]{1,64}))@[^\s<>@"'(),:;[\].]{1,63}(?:\.[^\s<>@"'(),:;[\].]{1,63}){0,8}/gu;

function withoutMailAddresses(text: string): string {
  let left = '';
  let end = 0;
  for (const { index, groups, 0: domain } of text.matchAll(mailAddress)) {
    const start = Math.max(end, index - (groups?.['localPart']?.length ?? 0));
    // Of `a@b@c` the first two are an address; the rest has no local part of its own.
    if (start === index) continue;
    left += `${text.slice(end, start)} addr `;
    end = index + domain.length;
  }
  return left + text.slice(end);
}

function plainWords(text: string): string {
  return text
    .replace(/\.{2,2048}/gu, ' ')
    .replace(/[.;](?=[\s)\]"'>]|$)|[\u3002\uFF01]/gu, ' . ')
    .replace(/\S{1,2048}/gu, (token) =>
      lettersAlone.test(token) || token.includes('://') ? token : tokenWords(token),
    );
}

const lettersAlone = /^[a-z\d]+$/u;

/**
 * Returns the words of one token between spaces: a host name or a code keeps its dots; anything else falls into its
 * words.
 */
function tokenWords(token: string): string {
  const bare = token.replace(/(?![._'#&=-])[\p{P}\p{S}]/gu, ' ');
  const parted = /[a-z\d]\.[a-z\d]/u.test(bare) ? bare : bare.replaceAll('-', ' ');
  return parted
    .replace(/(?<=[a-z])_(?=[a-z])/gu, ' ')
    .replace(/(?<=^|\s)['_=-]{1,2048}|['_=-]{1,2048}(?=\s|$)/gu, ' ');
}

/** French and Italian: the short word of `l'adresse`, `n'existe`, `dell'utente`. */
const elision = /(?<= )(?:[cdjlmnst]|qu|[dn]ell|[ds]?all|sull|quest|un)'(?=[a-z])/gu;

/** One spelling for the words that come in several. */
function spelledAlike(words: string): string {
  return ` ${words} `
    .replace(/\s{1,2048}/gu, ' ')
    .replace(elision, '')
    .replace(/ can't /gu, ' cannot ')
    .replace(/ won't /gu, ' will not ')
    .replace(/ (?:dosn't|doesnt|dosen't|dosnt|don't|dont|do not) /gu, ' does not ')
    .replace(/n't /gu, ' not ')
    .replace(/ can not /gu, ' cannot ')
    .replace(/ e mail(?=s? )/gu, ' email')
    .replace(/ e (?=mail[a-z])/gu, ' ')
    .replace(/ e mails /gu, ' emails ')
    .replace(/ e?mail box(?=(?:es)? )/gu, ' mailbox')
    .replace(/ user name /gu, ' username ')
    .replace(/ dear (?:sender|sir|madam|customer|user|friend|client)s? /gu, ' . ')
    .replace(/'s /gu, ' ');
}

/**
 * Gateways and relays quote the reply they got from the host behind them: `550 5.1.1 undeliverable address: host
 * mx.example[192.0.2.1] said: 552 5.2.2 mailbox full`. The inner reply is the news, unless the outer words complain
 * about the sender or the client: then the host behind was asked about us.
 */

type WrappedReply = { code: number; enhanced: string | undefined; text: string };

/** The innermost quoted reply, and the words around it: without a quote the innermost is the reply itself. */
type UnwrappedReply = { innermost: WrappedReply; around: string };

/** A relay may quote a relay; deeper quotes do not occur in practice. */
const maxDepth = 4;

/**
 * The words that announce a quoted reply, then the reply itself: three digits, perhaps an enhanced status code.
 * The announcement stands close before the digits, so that a number in running text is not taken for a code.
 */
const announcedReply =
  /(?:\b(?:said|refused to talk to me|responded|responds|replied|answered|answer|returned|response|error|reply|was|with|after rcpt to:?<[^<>\s]{1,320}>|host [^\s:]{1,255}(?: \[[^\s\]]{1,45}\])?)\s?:|\bsmtp;|<<<|->)\s{0,3}["'(]?(?:smtp; ?)?([245]\d\d)(?:[\s-]#?([245]\.\d{1,3}\.\d{1,3}))?[\s:-]/i;

export function unwrapReply(reply: WrappedReply): UnwrappedReply {
  let innermost = reply;
  let around = '';
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const match = announcedReply.exec(innermost.text);
    if (match?.[1] === undefined) break;
    around += ` ${innermost.text.slice(0, match.index)}`;
    innermost = {
      code: Number(match[1]),
      enhanced: match[2],
      text: innermost.text.slice(match.index + match[0].length).trim(),
    };
  }
  return { innermost, around: around.trim() };
}

/**
 * Words of Chinese, Japanese and Korean replies. These languages write words without spaces between them, or with
 * particles attached. The rules need words, so the ones they know are set apart: `该用户不存在` becomes `该 用户 不存在`.
 * A test checks that the list has every such word of every phrase.
 */
const knownWords = [
  // Chinese: the mailbox and its owner, simplified and traditional.
  '用户 用戶 使用者 收件人 收信人 邮箱 郵箱 信箱 帐号 帐户 账号 账户 帳號 帳戶 邮件地址 郵件地址 地址',
  '会员 會員 会員 对方 對方 不存在 无此 無此 没有 沒有 没有找到 找不到 未找到 未知 无效 無效 错误 錯誤',
  '不正确 不正確 未注册 未註冊 注销 註銷 删除 刪除 查无 查無 的 已满 已滿 满了 爆满 空间 空間 容量',
  '不足 超出 超过 超過 配额 配額 限额 用完 用尽 停用 禁用 冻结 凍結 锁定 鎖定 被锁 暂停 暫停 休眠',
  '关闭 關閉 过期 過期 到期 封禁 封停 稍后 稍後 稍候 重试 重試 再试 再試 灰名单 灰名單 系统 繁忙 忙碌',
  '暂时 暫時 临时 臨時 发件人 發件人 发信人 寄件人 寄件者 您的 你的 您 黑名单 黑名單 垃圾 拒绝 拒絕',
  '拒收 屏蔽 反向解析 域名 服务器 伺服器 频率 频繁 连接 信誉',
  // Japanese.
  '宛先 宛名 ユーザー ユーザ 利用者 受信者 アカウント メールアドレス アドレス メールボックス 受信箱 サービス',
  '存在しません 存在しない 存在いたしません 見つかりません 見つからない 不明 いません おりません ありません',
  '該当 登録されていません 登録されておりません 使われておりません 使われていません 使用されておりません 無効',
  '誤り 間違 削除 いっぱい 一杯 満杯 超え オーバー 受信容量 保存容量 停止 休止 解約 退会 ロック',
  '利用できません ご利用になれません ご利用いただけません しばらく 後ほど 再度 再送 一時的 混雑 時間をおいて',
  'グレイリスト グレーリスト 後で 送信元 送信者 発信者 差出人 拒否 迷惑メール ブラックリスト サーバー サーバ',
  'お客様の 逆引き',
  // Korean.
  '사용자 수신자 수신인 받는사람 계정 메일주소 이메일주소 주소 메일함 편지함 사서함 메일박스 아이디 회원',
  '존재하지 없는 없습니다 찾을 등록되지 유효하지 잘못된 탈퇴 삭제된 삭제되 알 미등록 용량 초과 부족 가득',
  '꽉 할당량 저장공간 공간 휴면 정지 중지 잠긴 잠금 비활성 해지 만료 잠시 나중에 다시 일시적',
  '그레이리스트 발신자 발신인 보낸사람 보낸 송신자 스팸 차단 블랙리스트 거부 귀하의 서버',
].flatMap((line) => line.split(' '));

const longestFirst = knownWords.toSorted((one, other) => other.length - one.length);
const knownWord = new RegExp(longestFirst.join('|'), 'g');

/** Ideographs, kana and Hangul syllables: all of them in the basic plane. */
const withoutSpaces = /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]/;

/** Returns the text with spaces around every known word. Any other text comes back as it is. */
export function separateWords(text: string): string {
  if (!withoutSpaces.test(text)) return text;
  return text.replace(knownWord, ' $& ');
}

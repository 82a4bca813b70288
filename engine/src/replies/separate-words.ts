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

/** The text with spaces around every known word. Any other text comes back as it is. */
export function separateWords(text: string): string {
  if (!withoutSpaces.test(text)) return text;
  return text.replace(knownWord, ' $& ');
}

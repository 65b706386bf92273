/** Mails that nobody wrote: absence notes, bounces, what lists and other systems send. */

export interface MailHeader {
  /** In lower case. */
  key: string
  value: string
}

const PRECEDENCES = ['bulk', 'junk', 'list', 'auto_reply']
const MARKS = ['x-autoreply', 'x-autorespond', 'x-auto-reply', 'x-failed-recipients', 'x-loop']
const MACHINES = /^(mailer-daemon|postmaster|no-?reply|donotreply|bounces?)([+@-]|$)/i

export function isAutomatic(headers: MailHeader[], from: string): boolean {
  const has = (key: string, test: (value: string) => boolean = () => true) =>
    headers.some(header => header.key === key && test(header.value.trim().toLowerCase()))
  return (
    // RFC 3834
    has('auto-submitted', value => !/^no(\s|;|$)/.test(value)) ||
    has('precedence', value => PRECEDENCES.includes(value)) ||
    MARKS.some(mark => has(mark)) ||
    // RFC 3464, and the empty sender of every bounce
    has('content-type', value => value.startsWith('multipart/report')) ||
    has('return-path', value => value === '<>') ||
    MACHINES.test(from)
  )
}

/** Replies as common mail programs send them: the whole mail, with what it quotes. */

const mail =
  (headers: string, body: string) =>
  (to: string): string =>
    `From: Ada <ada@example.com>\nTo: ${to}\nSubject: Re: Broken build\n${headers}\n\n${body}\n`.replaceAll(
      '\n',
      '\r\n',
    )

const plain = (id: string, body: string) =>
  mail(`Message-ID: <${id}@example.com>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8`, body)
const html = (id: string, body: string) =>
  mail(`Message-ID: <${id}@example.com>\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8`, body)

/** By mail program: the mail, and what the person wrote in it. */
export const REPLIES: Record<string, [raw: (to: string) => string, written: string]> = {
  Gmail: [
    mail(
      'Message-ID: <gmail@mail.gmail.com>\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="000000000000f1"',
      `--000000000000f1
Content-Type: text/plain; charset="UTF-8"

I can reproduce it.

It fails on the second line only.

On Tue, 10 Mar 2026 at 12:00, Bells <
reply+abcdefghijklmnopqrstuvwxyz@reply.example.com> wrote:

> Bob commented:
>
> Does anybody see this too?
>
--000000000000f1
Content-Type: text/html; charset="UTF-8"

<div dir="ltr">I can reproduce it.</div><div class="gmail_quote">On Tue …</div>
--000000000000f1--`,
    ),
    'I can reproduce it.\n\nIt fails on the second line only.',
  ],
  'Gmail, without a text part': [
    html(
      'gmail-html',
      '<div dir="ltr">I can <b>reproduce</b> it &amp; more.</div><br><div class="gmail_quote"><div class="gmail_attr">On Tue, 10 Mar 2026 at 12:00, Bells wrote:<br></div><blockquote>Does anybody?</blockquote></div>',
    ),
    'I can reproduce it & more.',
  ],
  'Gmail in German': [
    plain(
      'gmail-de',
      'Ja, bei mir auch.\n\nAm Di., 10. März 2026 um 12:00 Uhr schrieb Bells <bells@example.com>:\n\n> Sieht das noch jemand?',
    ),
    'Ja, bei mir auch.',
  ],
  'Gmail in French': [
    plain(
      'gmail-fr',
      'Oui.\n\nLe mar. 10 mars 2026 à 12:00, Bells <bells@example.com> a écrit :\n\n> Quelqu’un ?',
    ),
    'Oui.',
  ],
  'Gmail in Japanese': [
    plain('gmail-ja', 'はい。\n\n2026年3月10日(火) 12:00 Bells <bells@example.com>:\n\n> 誰か？'),
    'はい。',
  ],
  'Gmail in a language that Carillon does not bring': [
    plain(
      'gmail-sv',
      'Ja.\n\nDen tis 10 mars 2026 kl 12:00 skrev Bells <\nbells@example.com>:\n\n> Ser någon det?\n',
    ),
    'Ja.',
  ],
  'Gmail in Chinese': [
    plain('gmail-zh', '好。\n\nBells <bells@example.com> 于2026年3月10日周二 12:00写道：\n\n> 有人吗？'),
    '好。',
  ],
  'a program that leaves the text part empty': [
    mail(
      'Message-ID: <no-text@example.com>\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="b"',
      '--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>Only here.</p>\n--b--',
    ),
    'Only here.',
  ],
  Outlook: [
    plain(
      'outlook',
      `Fixed in the last release.

Regards
Ada

________________________________
From: Bells <bells@example.com>
Sent: Tuesday, March 10, 2026 12:00 PM
To: Ada <ada@example.com>
Subject: Broken build

Does anybody see this too?`,
    ),
    'Fixed in the last release.\n\nRegards\nAda',
  ],
  'Outlook, older': [
    plain(
      'outlook-old',
      'Done.\n\n-----Original Message-----\nFrom: Bells [mailto:bells@example.com]\nSent: Tuesday, March 10, 2026 12:00 PM\n\nDoes anybody?',
    ),
    'Done.',
  ],
  'Outlook in German': [
    plain(
      'outlook-de',
      'Erledigt.\n\nVon: Bells <bells@example.com>\nGesendet: Dienstag, 10. März 2026 12:00\nAn: Ada\nBetreff: Kaputt\n\nSieht das jemand?',
    ),
    'Erledigt.',
  ],
  'Outlook, without a text part': [
    html(
      'outlook-html',
      '<html><body><div class="elementToProof">Fixed.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Bells<br><b>Sent:</b> Tuesday, March 10, 2026<br></div><div>Does anybody see this too?</div></body></html>',
    ),
    'Fixed.',
  ],
  'Apple Mail': [
    plain(
      'apple',
      'Same here.\n\n> On 10. Mar 2026, at 12:00, Bells <bells@example.com> wrote:\n> \n> Does anybody see this too?\n> \n',
    ),
    'Same here.',
  ],
  'an iPhone': [
    plain(
      'iphone',
      'Same here\n\nSent from my iPhone\n\n> On 10. Mar 2026, at 12:00, Bells <bells@example.com> wrote:\n> \n> \ufeffDoes anybody?',
    ),
    'Same here',
  ],
  'a plain one with a signature': [
    plain('plain', 'Agreed, see #7.\n\n-- \nAda Lovelace\nAnalytical Engines Ltd.'),
    'Agreed, see #7.',
  ],
  'one written between the lines': [
    plain(
      'inline',
      '> Does it fail?\n\nYes.\n\n> Always?\n\nOn Tuesdays only, as I wrote: never else.\n\n> Thanks\n> Bells',
    ),
    '> Does it fail?\n\nYes.\n\n> Always?\n\nOn Tuesdays only, as I wrote: never else.',
  ],
  'one written between the lines, with words above': [
    plain(
      'inline-above',
      'See below.\n\nOn 10/03/26 12:00, Bells wrote:\n> Does it fail?\n\nYes.\n\n> Always?\n\nNo.\n\n> Thanks\n\n-- \nAda',
    ),
    'See below.\n\n> Does it fail?\n\nYes.\n\n> Always?\n\nNo.',
  ],
  'one whose quote was broken on its way': [
    plain('broken', 'Yes.\n\nOn 10/03/26 12:00, Bells wrote:\n> Does it fail on\nTuesdays?\n> Or always?\n'),
    'Yes.',
  ],
  'one that begins like a quote': [
    plain(
      'prose',
      'On 3 machines it fails, as Bob wrote:\nthe disk is full.\nAsk ada@example.com for:\na new one.',
    ),
    'On 3 machines it fails, as Bob wrote:\nthe disk is full.\nAsk ada@example.com for:\na new one.',
  ],
  'one written below': [
    plain('below', 'On Tue, 10 Mar 2026, Bells wrote:\n> Does anybody\n> see this?\n\nI do.\n'),
    'I do.',
  ],
}

/** Mails that nobody wrote. */
export const AUTOMATIC: Record<string, (to: string) => string> = {
  'an absence note': mail('Auto-Submitted: auto-replied', 'I am away.'),
  'an absence note of Outlook': mail('Message-ID: <a@b>\nX-Autoreply: yes', 'I am away.'),
  'a mail in bulk': mail('Precedence: bulk', 'News!'),
  'a bounce': mail(
    'Return-Path: <>\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b',
    '--b\n\nIt could not be delivered.\n--b--',
  ),
  'a bounce in plain words': mail('Return-Path: <>', 'It could not be delivered.'),
  'a mail of our own': mail('Auto-Submitted: auto-generated', 'Bob commented.'),
}

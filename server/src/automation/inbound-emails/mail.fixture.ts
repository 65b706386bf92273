/** Mails for tests, as they arrive. */

export const A_MAIL = `From: "Ada Lovelace" <ada@example.com>
To: Support <support@carillon.example>, bob@example.com
Cc: "A list": carol@example.com, dan@example.com;
Delivered-To: inbox@carillon.example
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Message-ID: <1@example.com>
In-Reply-To: <0@carillon.example>
Date: Tue, 10 Mar 2026 12:00:00 +0100
Received: from a
Received: from b
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Sch=F6n.
--inner
Content-Type: text/html; charset=utf-8

<p>Schön.</p>
--inner--
--outer
Content-Type: image/png; name="a.png"
Content-Disposition: attachment; filename="a.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--outer--
`.replaceAll('\n', '\r\n')

export const aMail = (headers: string, body = 'Hello') =>
  `From: ada@example.com\r\n${headers}\r\n\r\n${body}\r\n`

/** Each has a limit that it must not get past. */
export const HOSTILE: Record<string, string> = {
  'multiparts inside each other': `${multiparts(500)}\r\nx`,
  'a hundred thousand parts': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(100_000)}`,
  'megabytes of headers': `${`a: ${'b'.repeat(70)}\r\n`.repeat(20_000)}\r\nx`,
  'one header of a megabyte': `Subject: ${'x'.repeat(1_000_000)}\r\n\r\nx`,
  'megabytes of empty lines': `Subject: x\r\n\r\n${'\n'.repeat(4_000_000)}`,
}

function multiparts(depth: number): string {
  const opened = Array.from(
    { length: depth },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`,
  )
  return opened.join('\r\n')
}

/** These are strange, but can be read. */
export const STRANGE: Record<string, string> = {
  'two thousand parts': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(2000)}`,
  'two thousand attachments': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(2000)}`,
  'thirty thousand recipients': `To: ${'a@example.com, '.repeat(15_000)}\r\n\r\nx`,
  'thousands of headers': `${'a: b\r\n'.repeat(30_000)}\r\nx`,
  'thousands of brackets': `To: ${'(<"'.repeat(30_000)}\r\n\r\nx`,
  'thousands of encoded words': `Subject: ${'=?utf-8?b?'.repeat(20_000)}\r\n\r\nx`,
  'mails inside each other': `${'Content-Type: message/rfc822\r\n\r\nSubject: x\r\n'.repeat(50)}\r\nx`,
  'megabytes of text': `Content-Type: text/html\r\n\r\n${'<p>&amp;\u0001'.repeat(200_000)}`,
  'control characters everywhere': `Subject: \0\u0001\r\nTo: "\0" <a\0b@example.com>\r\nX-\0: \0\r\n\r\n\0`,
  'no end of a header': 'Subject',
  'an unknown encoding':
    'Content-Type: text/plain; charset=klingon\r\nContent-Transfer-Encoding: x-none\r\n\r\n\u00ff',
}

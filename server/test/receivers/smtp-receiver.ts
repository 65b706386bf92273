/** A real SMTP server for tests: collects mails, and misbehaves as instructed. */
import { EventEmitter, once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerError, type SMTPServerSession } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  raw: Buffer
  parsed: Email
}

/** The steps of a session; `data` is reached when the whole message was read but not yet replied to. */
export type Step = 'connect' | 'mail' | 'rcpt' | 'data'

/** `drop` cuts the connection instead of replying; at `data` the mail is still kept, as a real server might. */
export type SmtpBehaviour =
  | 'accept'
  | { reply: number; text?: string; at: Step }
  /** Refuses this recipient and accepts all others. */
  | { refuses: string }
  | { hang: Step }
  /** Accepts, but takes this long for each mail. */
  | { slow_ms: number }
  | { drop: Step }

export interface SmtpReceiverOptions {
  /** Requires exactly these credentials; without it, anyone may send. */
  auth?: { user: string; password: string }
  /** TLS from the first byte (smtps) or offered (STARTTLS), with a self-signed certificate. */
  tls?: 'implicit' | 'starttls'
}

export interface SmtpReceiver {
  readonly url: string
  readonly mails: ReceivedMail[]
  /** Connections opened so far, and how many of them are still open. */
  readonly connections: { opened: number; open: number }
  /** Every step reached so far, over all sessions, in order. */
  readonly steps: Step[]
  /** Applies to every later step, even in sessions that are already open. */
  behave(behaviour: SmtpBehaviour): void
  /** Resolves when this many mails have arrived. */
  waitForMail(count?: number): Promise<ReceivedMail[]>
  stop(): Promise<void>
}

type Reply = (error?: SMTPServerError | null) => void

export async function startSmtpReceiver(options: SmtpReceiverOptions = {}): Promise<SmtpReceiver> {
  const mails: ReceivedMail[] = []
  const steps: Step[] = []
  const connections = { opened: 0, open: 0 }
  const sockets = new Set<Socket>()
  const arrivals = new EventEmitter()
  let behaviour: SmtpBehaviour = 'accept'

  function reach(step: Step, session: SMTPServerSession, reply: Reply): void {
    steps.push(step)
    if (behaviour === 'accept' || 'refuses' in behaviour) reply()
    else if ('slow_ms' in behaviour) setTimeout(reply, step === 'data' ? behaviour.slow_ms : 0)
    else if ('reply' in behaviour) reply(behaviour.at === step ? refusal(behaviour) : null)
    else if ('drop' in behaviour) behaviour.drop === step ? cutOff(session) : reply()
    else if (behaviour.hang !== step) reply()
  }

  function cutOff(session: SMTPServerSession): void {
    for (const socket of sockets) if (socket.remotePort === session.remotePort) socket.resetAndDestroy()
  }

  function keepsMail(): boolean {
    return behaviour === 'accept' || !('reply' in behaviour || 'hang' in behaviour)
  }

  const server = new SMTPServer({
    secure: options.tls === 'implicit',
    disabledCommands: options.tls ? [] : ['STARTTLS'],
    authOptional: !options.auth,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth(auth, _session, callback) {
      const { user, password } = options.auth ?? {}
      if (auth.username === user && auth.password === password) callback(null, { user })
      else callback(refusal({ reply: 535, text: `no such login: ${auth.username} ${auth.password}` }))
    },
    onConnect: (session, callback) => reach('connect', session, callback),
    onMailFrom: (_address, session, callback) => reach('mail', session, callback),
    onRcptTo: ({ address }, session, callback) => {
      const isRefused = behaviour !== 'accept' && 'refuses' in behaviour && behaviour.refuses === address
      if (isRefused) callback(refusal({ reply: 550, text: '5.1.1 no such mailbox' }))
      else reach('rcpt', session, callback)
    },
    async onData(stream, session, callback) {
      // A client that gives up in the middle of its message is a scenario here, not an error.
      const mail = await readMail(stream, session).catch(() => null)
      if (!mail) return
      if (keepsMail()) mails.push(mail)
      arrivals.emit('mail')
      reach('data', session, callback)
    },
  })
  server.on('error', () => {})
  server.server.on('connection', socket => {
    sockets.add(socket)
    connections.opened += 1
    connections.open += 1
    socket.once('close', () => {
      sockets.delete(socket)
      connections.open -= 1
    })
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const scheme = options.tls === 'implicit' ? 'smtps' : 'smtp'
  const login = options.auth ? `${options.auth.user}:${encodeURIComponent(options.auth.password)}@` : ''

  return {
    url: `${scheme}://${login}127.0.0.1:${port}`,
    mails,
    connections,
    steps,
    behave(next) {
      behaviour = next
    },
    async waitForMail(count = 1) {
      while (mails.length < count) await once(arrivals, 'mail')
      return mails
    },
    stop() {
      const stopped = new Promise<void>(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      return stopped
    },
  }
}

async function readMail(stream: NodeJS.ReadableStream, session: SMTPServerSession): Promise<ReceivedMail> {
  const raw = await buffer(stream)
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(recipient => recipient.address),
    raw,
    parsed: await PostalMime.parse(raw),
  }
}

function refusal({ reply, text = 'scripted refusal' }: { reply: number; text?: string }): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: reply })
}

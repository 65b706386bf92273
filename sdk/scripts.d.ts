/**
 * What scripts of Carillon can use. `// @ts-check` at the top of a script and one of these lines turn it on in an editor:
 *
 *   /// <reference types="@carillon/sdk/scripts" />     with the SDK installed
 *   /// <reference path="./carillon-scripts.d.ts" />    with this file, from GET /v1/scripts/types
 *
 * A script is an ES module. If it has a default export, that is its result; a function is called with `event` first.
 */

declare namespace Carillon {
  /** Whatever JSON can express: only the script knows which of it to expect. */
  // biome-ignore lint/suspicious/noExplicitAny: unknown would have to be narrowed in every line of every script
  type Json = any

  interface EventOf<Kind extends string, Data> {
    /** The same for every attempt at this event. */
    id: string
    kind: Kind
    /** What happened, in the words of the kind, such as insert or notification.sent. */
    op: string
    /** When it happened, as an ISO 8601 time. */
    at: string
    /** How many runs of scripts led to this one. */
    depth: number
    /** What made the script run; null if it was invoked. */
    trigger: { id: string; name: string } | null
    data: Data
  }

  /** An entry of the key-value store was written or deleted; op is insert, update or delete. */
  type KvEvent = EventOf<
    'kv',
    {
      collection: string
      key: string
      /** null if it was deleted. */
      value: Json
      version: number | null
      /** null if there was none. */
      old_value: Json
      old_version: number | null
    }
  >
  /** A time has come. `local` is the same moment on the clock of the trigger's time zone. */
  type CronEvent = EventOf<'cron', { scheduled_at: string; local: string }>
  /** A message was put into a queue. */
  type QueueEvent = EventOf<'queue', { queue: string; message: Json }>
  interface Mailbox {
    address: string
    name: string
  }
  /** A mail came in; op is receive. */
  type EmailEvent = EventOf<
    'email',
    {
      from: Mailbox | null
      to: Mailbox[]
      cc: Mailbox[]
      /** Whom it really reached, copies that nobody sees included. */
      recipients: string[]
      subject: string
      text: string | null
      html: string | null
      /** Names in lower case. */
      headers: { [name: string]: string }
      message_id: string | null
      date: string | null
      attachments: { filename: string | null; content_type: string; size: number }[]
      /** What is not whole, such as text. */
      truncated: string[]
    }
  >
  /** The URL of a trigger was called. */
  type HttpEvent = EventOf<
    'http',
    {
      method: string
      query: { [name: string]: string | string[] }
      /** Names in lower case, without credentials. */
      headers: { [name: string]: string }
      /** The text of the body. */
      body: string
      /** The body, if it is JSON; else null. */
      json: Json
    }
  >
  /** Something happened in the domain of the application. */
  type DomainEvent = EventOf<
    'event',
    {
      event_id: string
      kind: string
      topic: string | null
      actor: string | null
      thread: { kind: string; id: string } | null
      source_kind: string
      source_id: string
      relations: { [relation: string]: string[] }
      occurred_at: string
      payload: { [name: string]: Json }
    }
  >
  /** Work exhausted its attempts. */
  type DeadLetterEvent = EventOf<'dead_letter', { dead_letter: DeadLetter }>
  /** Somebody invoked the script; data is what they sent as `input`. */
  type InvokeEvent = EventOf<'invoke', Json>

  type Event =
    | KvEvent
    | CronEvent
    | QueueEvent
    | EmailEvent
    | HttpEvent
    | DomainEvent
    | DeadLetterEvent
    | InvokeEvent

  interface DeadLetter {
    id: string
    /** route: a message to a recipient; outbox: any other work. */
    source_kind: 'route' | 'outbox'
    /** route, or the kind of work, such as webhook or cron. */
    source: string
    op: string
    notification_id: string | null
    route_id: string | null
    notification_type: string
    channel: Channel | null
    /** Such as user:ada. */
    recipient_ref: string
    /** Of the work that failed. */
    original_event_id: string | null
    target_id: string | null
    /** What made it run, and which script, if it was a script. */
    trigger_id: string | null
    script_id: string | null
    failure_reason: string
    failure_classification: string
    failure_message: string
    recovery_hint: string
    attempts: number
    max_attempts: number
    first_attempt_at: string | null
    last_attempt_at: string | null
    created_at: string
    /** The payload of the notification, or what the other work was about; null if it is large or no JSON. */
    event: Json
  }

  /** For a default export with types: `/** @type {Carillon.Handler} *\/ const run = async event => { … }; export default run` */
  type Handler = (event: Event) => unknown

  type Channel = 'in_app' | 'email' | 'sms' | 'push' | 'chat' | 'webhook'

  type Audience =
    | { kind: 'users'; user_ids: string[] }
    | { kind: 'topic'; topic: string }
    | { kind: 'tenant' }
    | { kind: 'addresses'; channel: Exclude<Channel, 'in_app'>; addresses: string[] }
    | { kind: 'admin_email' }

  interface Intent {
    notification_type: string
    producer?: string | undefined
    /** Without it, the event and the position of the call are the key, so that a repeated run sends nothing twice. */
    idempotency_key?: string | undefined
    audience: Audience
    /** Defaults to the channels of the type. */
    channels?: Channel[] | undefined
    /** At most 64 KiB. */
    payload: { [name: string]: unknown }
    send_at?: string | undefined
    /** In each recipient's own time zone, such as 2026-12-24T09:00. */
    send_at_local?: string | undefined
    expires_at?: string | undefined
    occurred_at?: string | undefined
    request_id?: string | undefined
    template?: string | undefined
    reason?: string | undefined
    email?:
      | {
          reply_to?: string | undefined
          cc?: string[] | undefined
          bcc?: string[] | undefined
          preheader?: string | undefined
          attachments?: { filename: string; content_type: string; content: string }[] | undefined
        }
      | undefined
    sms?: { media?: string[] | undefined } | undefined
    chat?:
      | {
          media?: string[] | undefined
          content_sid?: string | undefined
          content_variables?: { [name: string]: string } | undefined
        }
      | undefined
  }

  interface SystemEvent {
    /** At most 43 characters, such as orders_stuck; operators see script.orders_stuck. */
    event_type: string
    severity: 'low' | 'medium' | 'high' | 'critical'
    description: string
    /** What it is about. The same type and subject within an hour is counted, not repeated. */
    subject?: string | undefined
    details?: { [name: string]: unknown } | undefined
  }

  interface Response {
    readonly status: number
    /** Names in lower case. */
    readonly headers: { readonly [name: string]: string }
    /** The body; at most 256 KiB. */
    readonly text: string
    /** The body, parsed. */
    json(): Json
  }
}

/** Why the script runs. */
declare var event: Carillon.Event

/** Sends a notification once the script has succeeded. `position` counts the notifications of this run, from 1. */
declare function notify(intent: Carillon.Intent): Promise<{ position: number }>

/** What the tenant's scripts and applications remember. */
declare const kv: {
  /** The value, or null. */
  get(collection: string, key: string): Promise<Carillon.Json>
  /** The value with its version, or null. What this run has written itself has no version yet. */
  getEntry(collection: string, key: string): Promise<{ value: Carillon.Json; version: number | null } | null>
  /** At most 64 KiB as JSON. */
  set(
    collection: string,
    key: string,
    value: unknown,
    options?: { ttl_seconds?: number | undefined },
  ): Promise<void>
  delete(collection: string, key: string): Promise<void>
}

declare const deadLetters: {
  /** Tries it again, with a fresh budget. */
  replay(id: string): Promise<void>
  /** Takes it off the list of open ones. */
  resolve(id: string, resolution: 'ignored' | 'handled_by_script'): Promise<void>
}

declare const systemEvents: {
  /** Tells operators. */
  raise(event: Carillon.SystemEvent): Promise<void>
}

declare const http: {
  /** Calls another service at once, unlike everything else here; only if the tenant allows it. Redirects are not followed. */
  fetch(
    url: string | { toString(): string },
    options?: {
      method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
      headers?: { [name: string]: string } | undefined
      body?: string | undefined
      /** At most 10,000. */
      timeout_ms?: number | undefined
    },
  ): Promise<Carillon.Response>
}

/** Writes a line into the log of the run: 100 lines and 16 KiB at most. */
declare function log(...values: unknown[]): void

interface Console {
  log(...values: unknown[]): void
  info(...values: unknown[]): void
  debug(...values: unknown[]): void
  warn(...values: unknown[]): void
  error(...values: unknown[]): void
}
declare var console: Console

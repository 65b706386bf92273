/** A connection to NATS that lasts: it moves to another server of the cluster when one is lost. */
import { readFile } from 'node:fs/promises'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { parseNatsServers } from './nats-servers.ts'

const CONNECT_TIMEOUT_MS = 5000
const RECONNECT_WAIT_MS = 250

/** `name` is shown in the server's list of connections. Throws if no server answers; afterwards it reconnects by itself. */
export async function connectNats(urls: string, name: string): Promise<NatsConnection> {
  const { servers, isTls, user, password, token, credentialsFile } = parseNatsServers(urls)
  return connect({
    servers,
    name,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: 10_000,
    maxPingOut: 2,
    ...(isTls && { tls: {} }),
    ...(user !== undefined && { user, pass: password }),
    ...(token !== undefined && { token }),
    ...(credentialsFile !== undefined && {
      authenticator: credsAuthenticator(await readFile(credentialsFile)),
    }),
  })
}

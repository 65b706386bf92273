/** User tokens: what people's browsers have instead of an API key. */
import type { UserToken, UserTokenEpoch, UserTokenInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { path } from './path.ts'

export function createUserTokens(send: Send) {
  return {
    /** For one person's browser; give it to that person and nobody else. */
    async create(userId: string, token: UserTokenInput = {}, options?: CallOptions): Promise<UserToken> {
      const at = path`/v1/users/${userId}/token`
      return send({ method: 'POST', path: at, body: token, repeatable: true, ...options })
    },

    /** Ends all tokens that the person has by now. */
    async revoke(userId: string, options?: CallOptions): Promise<void> {
      return send({ method: 'POST', path: path`/v1/users/${userId}/tokens/revoke`, ...options })
    },

    /** Ends all tokens of all people at once. */
    async revokeAll(options?: CallOptions): Promise<UserTokenEpoch> {
      return send({ method: 'POST', path: '/v1/user-tokens/revoke', ...options })
    },

    /** Begins another epoch: tokens of the one before it work until they expire, older ones no more. */
    async rotate(options?: CallOptions): Promise<UserTokenEpoch> {
      return send({ method: 'POST', path: '/v1/user-tokens/rotate', ...options })
    },
  }
}

/** A browser that is signed in to the dashboard, with an account or with a key. */
export interface SignedIn {
  session_id: string
  account: { id: string; email: string; name: string } | null
  /** The account manages the instance too, where it is an owner. */
  isOperator: boolean
  /** The key that it is a session of, instead of an account. */
  api_key: { tenant_id: string; id: string } | null
  /** The tenant that the account looked at last. */
  chosen_tenant_id: string | null
  /** It came by a link, or the account has no password yet. */
  needs_password: boolean
  expires_at: Date
  /** Its end has just moved, so the browser has to keep the cookie for longer. */
  isProlonged: boolean
}

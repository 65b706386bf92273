/** What to call somebody of whom perhaps only the id is known. */
import type { User } from '@carillon/contract'

export const nameOf = ({ username, email, id }: Pick<User, 'username' | 'email' | 'id'>): string =>
  username || email || id

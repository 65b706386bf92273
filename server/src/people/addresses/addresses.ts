/** Addresses in the form in which they are stored, compared and sent to; normal_address() in SQL has the rule. */
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'

/** In the order given. Throws a Refusal that names the field of the first one that is no address. */
export async function normalAddresses(
  db: Executor,
  channel: string,
  given: string[],
  fieldOf: (index: number) => string,
): Promise<string[]> {
  const { rows } = await db.query<{ address: string | null; expected: string }>(
    `select normal_address($1, given) as address, expected_address($1) as expected
     from unnest($2::text[]) with ordinality as listed (given, position) order by position`,
    [channel, given],
  )
  return rows.map(({ address, expected }, i) => {
    if (address === null) throw refusalOf(fieldOf(i), expected)
    return address
  })
}

/** Each once, in the same form; what is no address stays as it is, for those who only compare. */
export async function listAddresses(db: Executor, channel: string, given: string[]): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>(
    'select distinct coalesce(normal_address($1, given), given) as address from unnest($2::text[]) as given',
    [channel, given],
  )
  return rows.map(row => row.address)
}

export async function normalAddress(
  db: Executor,
  channel: string,
  given: string,
  field: string,
): Promise<string> {
  const [address] = await normalAddresses(db, channel, [given], () => field)
  return address!
}

function refusalOf(field: string, message: string): Refusal {
  return new Refusal('invalid_request', `${field}: ${message}`, [{ field, message }])
}

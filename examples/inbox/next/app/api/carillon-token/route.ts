/** POST /api/carillon-token: a token for whoever is signed in. It runs on the server, where the API key is. */
import { createClient } from '@carillon/sdk'
import { signedIn } from '../../../session.ts'

export async function POST(request: Request): Promise<Response> {
  const user = signedIn(request)
  if (user === undefined) return Response.json({ error: 'Nobody is signed in.' }, { status: 401 })
  // Takes CARILLON_URL and CARILLON_API_KEY from the environment.
  const token = await createClient().userTokens.create(user)
  return Response.json(token, { headers: { 'cache-control': 'no-store' } })
}

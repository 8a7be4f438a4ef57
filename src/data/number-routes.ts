import { batch } from './batch.ts'
import { call } from './call.ts'

export type NumberRoute = { workspace_id: string; transfer_number: string | null }

/** The workspace of a phone number of the deployment, and who is called when no agent answers; null for a number that nobody has. */
export async function routeOf(database: Parameters<typeof batch>[0], number: string): Promise<NumberRoute | null> {
  const [route] = (await batch(database, [call('voice_route', number)])) as [NumberRoute | null]
  return route
}

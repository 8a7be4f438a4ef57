import { batch, type Database } from './batch.ts'
import { call } from './call.ts'

type PublicFile = { workspace_id: string; content_type: string; sha256: string }

/** The image with this id that anybody may see; null for another file, and for one that was deleted. */
export async function publicFile(database: Database, id: string): Promise<PublicFile | null> {
  const [found] = await batch(database, [call('public_file', id)])
  return found as PublicFile | null
}

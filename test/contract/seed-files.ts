import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { sendSample } from './send.ts'

/** A file that nothing uses, so that it can be deleted. */
export async function addFiles(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const upload = operations.find(({ name }) => name === 'POST /files')
  if (upload) ids.idle_file_id = (await sendSample(app, ws, upload, ids)).body.data.id
}

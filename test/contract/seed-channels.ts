import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { addEmails } from './seed-email.ts'
import { addMedia } from './seed-media.ts'
import { addNotetaker } from './seed-notetakers.ts'
import { addCompliance } from './seed-phone.ts'
import { addSms } from './seed-sms.ts'
import { addWhatsApp } from './seed-whatsapp.ts'

/** What reaches the workspace through each of its channels, and a meeting that was recorded. */
export async function addChannels(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  await addEmails(app, ws, ids)
  await addSms(app, ws, ids)
  await addCompliance(ws, ids)
  await addWhatsApp(app, ws, ids)
  await addMedia(app, ws, ids)
  await addNotetaker(app, ws, ids)
}

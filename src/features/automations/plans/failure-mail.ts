import { cutText } from '../../../lib/text.ts'
import { chargeFor } from '../../billing/rules/credits.ts'
import { htmlOf } from '../../messages/plans/request-message.ts'
import { smsSize } from '../../sms/rules/sms.ts'
import { redactSecrets } from '../rules/redaction.ts'
import type { RunError } from './engine/types.ts'

/** The email about a run that failed, as reserve_messages takes it. */
export function failureMail(automation: string, run: string, { code, message }: RunError) {
  const text = [
    `A run of the automation "${automation}" failed.`,
    `${code}: ${redactSecrets(message)}`,
    `The run: GET /v1/automation-runs/${run} and its steps: GET /v1/automation-runs/${run}/steps. To continue it after a correction: ` +
      `POST /v1/automation-runs/${run}/retry.`,
    'Further failures of this automation send nothing until one of its runs has succeeded, or a day has passed.',
  ].join('\n\n')
  return { subject: `The automation "${automation}" failed`.replace(/\s+/g, ' '), body_text: text, body_html: htmlOf(text) }
}

/** The SMS about it, of one segment unless a name has characters outside GSM 03.38. */
export function failureSms(automation: string, { code }: RunError) {
  const text = `The automation "${cutText(automation, 60)}" failed: ${code}. See the email or GET /v1/automation-runs.`
  return { body_text: text, ...chargeFor('sms', smsSize(text).segments) }
}

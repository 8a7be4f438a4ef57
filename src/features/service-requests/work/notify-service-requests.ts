import type { Kind } from '../../../../queues/work/kind.ts'
import { mailerOf, outsideHttpOf } from '../../../http/deployment.ts'
import { type ClaimedNotice, mailEngineering, mailRequester, postNotice } from '../plans/notify.ts'
import { NOTICE_WAITS } from '../rules/requests.ts'

const NOTICE: Pick<Kind<ClaimedNotice>, 'queue' | 'table' | 'writes' | 'read' | 'lease' | 'atOnce' | 'claims' | 'retry' | 'failed'> = {
  queue: 'WEBHOOKS',
  table: 'service_request_notices',
  writes: ['status', 'error', 'message_reference'],
  read: 'read_service_request_notices',
  lease: 120,
  atOnce: 5,
  claims: 10,
  retry: NOTICE_WAITS,
  failed: (error, isLast) => ({ status: isLast ? 'failed' : 'waiting', error }),
}

/** The engineering team is notified of new requests, by its webhook or its address. */
export const serviceRequestsNotifyEngineering: Kind<ClaimedNotice> = {
  ...NOTICE,
  name: 'service_requests.notify_engineering',
  where: "t.recipient = 'engineering'",
  isOn: (env) => Boolean(env.ENGINEERING_WEBHOOK_URL || env.ENGINEERING_EMAIL),
  call({ env, item, attempts }) {
    const { ENGINEERING_WEBHOOK_URL: url, ENGINEERING_EMAIL: to = '' } = env
    return url ? postNotice(outsideHttpOf(env), url, item) : mailEngineering(mailerOf(env), to, item, attempts)
  },
}

/** Requesters are notified of changes by email. */
export const serviceRequestsNotifyRequester: Kind<ClaimedNotice> = {
  ...NOTICE,
  name: 'service_requests.notify_requester',
  where: "t.recipient = 'requester'",
  call: ({ env, item, attempts }) => mailRequester(mailerOf(env), item, attempts),
}

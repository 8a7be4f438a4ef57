import { Hono } from 'hono'
import * as v from 'valibot'
import { getJob } from '../src/features/jobs/plans/jobs.ts'
import { Job } from '../src/features/jobs/schemas/jobs.ts'
import { scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { WORKSPACE } from './paths.ts'

export const jobsRouter = new Hono<App>()
export const jobsApi = endpoints(jobsRouter, { path: WORKSPACE.jobs, tag: 'Jobs' })

jobsApi.get(
  '/:job_id',
  {
    id: 'getJob',
    summary: 'Get a job',
    description:
      'A request whose work takes longer than a response may wait is answered with 202 and a `job_id`. ' +
      'The job says how far the background has come. Jobs are kept for 30 days. Any key of the workspace may read them.',
    access: scopes(),
    params: v.object({ job_id: Id }),
    returns: Job,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getJob(params.job_id),
)

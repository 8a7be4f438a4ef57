import type { Api } from './api.ts'

/** Two requests about the same fault, which are related, with a thread, and one that is done. */
export async function addServiceRequests(api: Api): Promise<void> {
  const { data: first } = await api('POST', '/service-requests', {
    title: 'The export of contacts stops',
    description: 'It ends after 500 rows with a timeout.',
    type: 'bug',
    priority: 'high',
    context: { page: '/contacts', rows: 500 },
  })
  await api('POST', `/service-requests/${first.id}/notes`, { content: 'It happens with every export since Monday.' })
  await api('PATCH', `/service-requests/${first.id}`, { status: 'in_progress' })
  await api('POST', '/service-requests', {
    title: 'Our accountant gets only a part of the contacts',
    description: 'The download ends too early.',
    type: 'question',
    queue: 'agency',
    related_ids: [first.id],
  })
  const { data: logo } = await api('POST', '/service-requests', {
    title: 'Put our new logo on the portal',
    type: 'feature',
    priority: 'low',
  })
  await api('PATCH', `/service-requests/${logo.id}`, { status: 'done' })
}

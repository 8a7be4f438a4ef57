import type { Role } from './members.ts'

type Invitation = { workspace: string; inviter: string | null; role: Role; link: string; days: number }

const MAY: Record<Role, string> = {
  client_admin: 'administer the workspace',
  client_editor: 'see and change its records',
  client_viewer: 'see its records',
}

/** The email with an invitation's link. */
export function invitationEmail({ workspace, inviter, role, link, days }: Invitation): { subject: string; text: string; html: string } {
  const who = inviter ?? 'A colleague'
  const lines = [
    `${who} invites you to the workspace “${workspace}”, where you may ${MAY[role]}.`,
    `The link is valid for ${days} days and works once. If you did not expect this invitation, ignore it.`,
  ]
  const [first, second] = lines.map(asHtml)
  return {
    subject: `${who} invites you to ${workspace}`,
    text: [lines[0], `Accept the invitation: ${link}`, lines[1]].join('\n\n'),
    html: `<p>${first}</p>\n<p><a href="${asHtml(link)}">Accept the invitation</a></p>\n<p>${second}</p>\n`,
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const asHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)

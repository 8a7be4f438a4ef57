import { escapeHtml } from '../../../lib/html.ts'
import { withoutLinks } from '../../../lib/text.ts'
import type { Role } from './members.ts'

/** `role_name` is the name of a role that the workspace made itself; null for one of the roles that every workspace has. */
type Invitation = { workspace: string; inviter: string | null; role: string; role_name: string | null; link: string; days: number }

const MAY: Record<Role, string> = {
  client_admin: 'administer the workspace',
  client_editor: 'see and change its records',
  client_viewer: 'see its records',
}
const isBuiltIn = (role: string): role is Role => Object.hasOwn(MAY, role)

/** The email with an invitation's link. People choose names freely, so the only link in the text is that of the invitation. */
export function invitationEmail(invitation: Invitation): { subject: string; text: string; html: string } {
  const { role, link, days } = invitation
  const who = withoutLinks(invitation.inviter ?? '') || 'A colleague'
  const workspace = withoutLinks(invitation.workspace)
  const where = workspace ? `the workspace “${workspace}”` : 'a workspace'
  const lines = [
    `${who} invites you to ${where}, where you ${rightsOf(role, withoutLinks(invitation.role_name ?? ''))}.`,
    `The link is valid for ${days} days and works once. If you did not expect this invitation, ignore it.`,
  ]
  const [first, second] = lines.map(escapeHtml)
  return {
    subject: `${who} invites you to ${workspace || 'a workspace'}`,
    text: [lines[0], `Accept the invitation: ${link}`, lines[1]].join('\n\n'),
    html: `<p>${first}</p>\n<p><a href="${escapeHtml(link)}">Accept the invitation</a></p>\n<p>${second}</p>\n`,
  }
}

const rightsOf = (role: string, name: string) =>
  isBuiltIn(role) ? `may ${MAY[role]}` : name ? `have the role “${name}”` : 'have a role that the workspace has made'

import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Members: 'The people who work in the workspace, their roles and invitations.' },
  scopes: { users: ['read', 'write', 'delete'] },
  tables: {
    member_connections: { history: false },
    memberships: {
      entity: 'member',
      key: 'user_id',
      readers: ['users:read'],
      hidden: { invite_name: 'Stands for the full name until the member has joined' },
    },
  },
  events: ['member.invited', 'member.joined', 'member.removed'],
}

import { availabilityApi, availabilitySchedulesApi, holidaysApi, timeOffApi } from './availability.ts'
import { bookingsApi } from './bookings.ts'
import './booking-changes.ts'
import './copies.ts'
import './notices.ts'
import './notetakers.ts'
import { scheduledEventTypesApi } from './event-types.ts'
import { voiceApi, voiceProvidersApi } from './voice.ts'
import { waitingListApi } from './waiting-list.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [
  bookingsApi,
  waitingListApi,
  scheduledEventTypesApi,
  availabilityApi,
  availabilitySchedulesApi,
  timeOffApi,
  holidaysApi,
  voiceApi,
  voiceProvidersApi,
]

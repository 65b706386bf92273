/** Schedules: intents that are sent repeatedly. */
import type {
  NewSchedule,
  Schedule,
  ScheduleChanges,
  SchedulePreview,
  SchedulePreviewQuery,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { type PagePosition, pagedList } from './pages.ts'
import { path } from './path.ts'

export function createSchedules(send: Send) {
  return {
    ...pagedList<Schedule, PagePosition>(send, '/v1/schedules'),

    async get(id: string, options?: CallOptions): Promise<Schedule> {
      return send({ method: 'GET', path: path`/v1/schedules/${id}`, ...options })
    },

    async create(schedule: NewSchedule, options?: CallOptions): Promise<Schedule> {
      return send({ method: 'POST', path: '/v1/schedules', body: schedule, ...options })
    },

    async update(id: string, changes: ScheduleChanges, options?: CallOptions): Promise<Schedule> {
      return send({ method: 'PATCH', path: path`/v1/schedules/${id}`, body: changes, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/schedules/${id}`, ...options })
    },

    /** When a cron expression would run, before anything is saved. */
    async preview(query: SchedulePreviewQuery, options?: CallOptions): Promise<SchedulePreview> {
      return send({ method: 'GET', path: '/v1/schedules/preview', query, ...options })
    },

    async nextRuns(id: string, count = 10, options?: CallOptions): Promise<SchedulePreview> {
      return send({ method: 'GET', path: path`/v1/schedules/${id}/preview`, query: { count }, ...options })
    },
  }
}

/** How scripts run in this process: how often, how long, and how busy the sandbox is. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface ScriptMetrics {
  /** `outcome` is succeeded, busy, repeated, or the kind of failure. */
  ran(kind: string, outcome: string, durationMs: number): void
  /** From now on the sandbox is asked at every scrape. */
  watchSandbox(size: () => { workers: number; busy: number; waiting: number }): void
}

/** A run that never began or is repeated says nothing about how long runs take. */
const UNTIMED = ['busy', 'repeated']

export function createScriptMetrics(register: Registry): ScriptMetrics {
  const registers = [register]
  const runs = new Counter({
    name: 'carillon_script_runs_total',
    help: 'Runs of scripts by kind of event and outcome: succeeded, busy, repeated, or the kind of failure',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'carillon_script_run_duration_seconds',
    help: 'Duration of a run, without what it waited for a worker',
    labelNames: ['kind'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60],
    registers,
  })
  return {
    ran(kind, outcome, durationMs) {
      runs.inc({ kind, outcome })
      if (!UNTIMED.includes(outcome)) duration.observe({ kind }, durationMs / 1000)
    },
    watchSandbox(size) {
      new Gauge({
        name: 'carillon_script_workers',
        help: 'Threads that run scripts, by what they do',
        labelNames: ['state'],
        registers,
        collect() {
          const { workers, busy } = size()
          this.set({ state: 'busy' }, busy)
          this.set({ state: 'idle' }, workers - busy)
        },
      })
      new Gauge({
        name: 'carillon_script_runs_waiting',
        help: 'Runs that wait for a thread',
        registers,
        collect() {
          this.set(size().waiting)
        },
      })
    },
  }
}

import type { Scheduled, Scheduler } from '../../kernel/timeline';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { ExecutionEnvironment } from './execution-environment';

/** AWS publishes no such time; observations put it between 5 and 15 minutes. A choice of ours. */
const IDLE_MS = 10 * 60_000;

interface Idle {
  readonly configuration: FunctionConfiguration;
  readonly environment: ExecutionEnvironment;
  readonly recycling: Scheduled;
}

/**
 * Frozen execution environments that wait for another invocation, the last used first. Each holds a thread, so there are
 * only so many, and none for ever. Those that become idle at one instant may be more until time moves on: whoever has waited
 * for them takes them at that very instant.
 */
export class IdleEnvironments {
  /** Least recently used first. */
  private idle: Idle[] = [];
  private trimming: Scheduled | undefined;

  /**
   * @param limit how many are kept
   * @param most how many there are at one instant
   */
  constructor(
    private readonly timeline: Scheduler,
    private readonly limit: number,
    private readonly most: number,
  ) {}

  /** An environment of this very configuration, if one waits. */
  take(configuration: FunctionConfiguration): ExecutionEnvironment | undefined {
    const found = this.idle.findLast(idle => idle.configuration === configuration);
    if (found) this.remove(found);
    return found?.environment;
  }

  /** Keeps an environment for later. Answers once whatever had to make room for it is gone. */
  async keep(configuration: FunctionConfiguration, environment: ExecutionEnvironment): Promise<void> {
    const recycling = this.timeline.inBackground(this.timeline.nowMs + IDLE_MS, () => this.end(idle));
    const idle: Idle = { configuration, environment, recycling };
    this.idle.push(idle);
    if (this.idle.length > this.most) await this.keepOnly(this.most);
    else if (this.idle.length > this.limit) this.trimLater();
  }

  /** Ends those of a configuration that nothing will be run with any more. */
  async retire(configuration: FunctionConfiguration): Promise<void> {
    const retired = this.idle.filter(idle => idle.configuration === configuration);
    await Promise.all(retired.map(idle => this.end(idle)));
  }

  /** Ends them all. */
  async close(): Promise<void> {
    await Promise.all([...this.idle].map(idle => this.end(idle)));
  }

  private trimLater(): void {
    this.trimming ??= this.timeline.inBackground(this.timeline.nowMs + 1, () => {
      this.trimming = undefined;
      return this.keepOnly(this.limit);
    });
  }

  private async keepOnly(count: number): Promise<void> {
    const oldest = this.idle.slice(0, Math.max(0, this.idle.length - count));
    await Promise.all(oldest.map(idle => this.end(idle)));
  }

  private async end(idle: Idle): Promise<void> {
    this.remove(idle);
    await idle.environment.close();
  }

  private remove(idle: Idle): void {
    idle.recycling.cancel();
    this.idle = this.idle.filter(other => other !== idle);
  }
}

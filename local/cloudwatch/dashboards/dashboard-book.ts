import type { Clock } from '../../kernel/clock';

/** A dashboard as it was last put. */
export interface Dashboard {
  readonly name: string;
  readonly arn: string;
  /** A JSON document. */
  readonly body: string;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
}

/** Every dashboard by its name. They are kept and read back; nothing here draws them. */
export class DashboardRegistry {
  private readonly byName = new Map<string, Dashboard>();

  constructor(private readonly clock: Clock) {}

  /** In the order of their names, as CloudWatch lists them. */
  get all(): readonly Dashboard[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Dashboard | undefined {
    return this.byName.get(name);
  }

  put(name: string, arn: string, body: string): void {
    this.byName.set(name, { name, arn, body, modifiedAtMs: this.clock.nowMs });
  }

  delete(name: string): void {
    this.byName.delete(name);
  }
}

import type { ServiceContext } from '../kernel/services';
import { groupExists, groupMissing } from './errors';
import type { LogsHappening } from './happenings';
import { LogGroup } from './log-group';

/** Every log group, and what its actions work on. */
export class LogsState {
  private readonly byName = new Map<string, LogGroup>();

  constructor(readonly context: ServiceContext<LogsHappening>) {}

  /** In the order of their names, as CloudWatch Logs lists them. */
  get groups(): readonly LogGroup[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): LogGroup | undefined {
    return this.byName.get(name);
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(name: string): LogGroup {
    const group = this.byName.get(name);
    if (!group) throw groupMissing();
    return group;
  }

  /** @throws AwsError `ResourceAlreadyExistsException` */
  create(name: string): LogGroup {
    if (this.byName.has(name)) throw groupExists();
    const group = new LogGroup(name, this.context.timeline.nowMs);
    this.byName.set(name, group);
    this.context.trace.record({ type: 'logs.group-created', logGroupName: name });
    return group;
  }
}

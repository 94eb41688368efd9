import type { Members } from '../kernel/json';
import type { Output, TemplateParameter } from './plan-stack';

export type Status = 'CREATE_IN_PROGRESS' | 'CREATE_COMPLETE' | 'CREATE_FAILED';

/** One resource of a stack, as the API tells of it. */
export interface ResourceRecord {
  readonly logicalId: string;
  readonly type: string;
  readonly status: Status;
  /** Undefined until it has one. */
  readonly physicalId: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly changedAtMs: number;
}

/** A change of a stack or of one of its resources. */
export interface StackEvent extends ResourceRecord {
  readonly eventId: string;
  /** What a resource was created with, as JSON. */
  readonly properties: string | undefined;
}

/** An output whose value is known. */
export type KnownOutput = Omit<Output, 'value'> & { readonly value: string };

/** What never changes of a stack. */
export interface StackDescription {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly template: Members;
  readonly notificationArns: readonly string[];
  readonly createdAtMs: number;
  /** The stack whose template nests this one. */
  readonly parent: StackRecord | undefined;
}

/** What the API shows of a value that is not to be shown. */
export const MASK = '****';

const STACK_TYPE = 'AWS::CloudFormation::Stack';

/** What CloudFormation remembers of a stack. */
export class StackRecord {
  readonly resources = new Map<string, ResourceRecord>();
  /** Oldest first. */
  readonly events: StackEvent[] = [];
  outputs: readonly KnownOutput[] = [];
  parameters: readonly TemplateParameter[] = [];
  status: Status = 'CREATE_IN_PROGRESS';

  constructor(
    readonly description: StackDescription,
    /** Draws the ids of events. */
    private readonly newEventId: () => string,
  ) {
    this.noteOwn('CREATE_IN_PROGRESS', description.createdAtMs);
  }

  get id(): string {
    return this.description.id;
  }

  /** As permissions name it. */
  get arn(): string {
    return this.description.id;
  }

  get name(): string {
    return this.description.name;
  }

  /** Undefined for one that nests in no other. */
  get root(): StackRecord | undefined {
    const { parent } = this.description;
    return parent && (parent.root ?? parent);
  }

  /** @param properties as JSON, without what is to be kept secret */
  noteResource(resource: ResourceRecord, properties: string): void {
    this.resources.set(resource.logicalId, resource);
    this.events.push({ ...resource, eventId: this.newEventId(), properties });
  }

  end(status: Status, nowMs: number): void {
    this.status = status;
    this.noteOwn(status, nowMs);
  }

  private noteOwn(status: Status, changedAtMs: number): void {
    const { name, id } = this;
    const reason = status === 'CREATE_IN_PROGRESS' ? 'User Initiated' : undefined;
    const own = { logicalId: name, type: STACK_TYPE, status, physicalId: id, reason, changedAtMs };
    this.events.push({ ...own, eventId: this.newEventId(), properties: undefined });
  }
}

/** The stacks of the account, in the order in which their creation began. */
export class StackDirectory {
  private readonly stacks = new Map<string, StackRecord>();

  add(stack: StackRecord): void {
    this.stacks.set(stack.id, stack);
  }

  /** By name or ARN. */
  find(nameOrId: string): StackRecord | undefined {
    return this.stacks.get(nameOrId) ?? this.all().find(({ name }) => name === nameOrId);
  }

  all(): readonly StackRecord[] {
    return [...this.stacks.values()];
  }
}

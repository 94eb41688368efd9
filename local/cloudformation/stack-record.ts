import type { JsonObject } from '../kernel/json';
import type { Output, TemplateParameter } from './plan-stack';

type Status = 'CREATE_IN_PROGRESS' | 'CREATE_COMPLETE' | 'CREATE_FAILED';

/** A resource of a stack, as the API describes it. */
export interface ResourceRecord {
  readonly logicalId: string;
  readonly type: string;
  readonly status: Status;
  /** Undefined before it has one. */
  readonly physicalId: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly changedAtMs: number;
}

/** A change of a stack or of one of its resources. */
interface StackEvent extends ResourceRecord {
  readonly eventId: string;
  /** The properties a resource was created with, as JSON. */
  readonly properties: string | undefined;
}

/** An output whose value is known. */
export type KnownOutput = Omit<Output, 'value'> & { readonly value: string };

/** The parts of a stack that never change. */
interface StackDescription {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly template: JsonObject;
  readonly notificationArns: readonly string[];
  readonly createdAtMs: number;
  /** The stack whose template nests this one. */
  readonly parent: StackRecord | undefined;
}

/** The text that the API shows instead of a hidden value. */
export const MASK = '****';

const STACK_TYPE = 'AWS::CloudFormation::Stack';

/** The record of a stack. */
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

  /** The ARN for permissions. */
  get arn(): string {
    return this.description.id;
  }

  get name(): string {
    return this.description.name;
  }

  /** Undefined for a stack that is not nested. */
  get root(): StackRecord | undefined {
    const { parent } = this.description;
    return parent && (parent.root ?? parent);
  }

  /** @param properties as JSON, without secrets */
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

/** The stacks of the account, in the order in which their creation started. */
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

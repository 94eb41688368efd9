import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticErrorSchema, StaticOperationSchema } from '@smithy/types';

/** The first element of a static schema says what it describes. */
const OPERATION = 9;
const ERROR = -3;

/** One API action, as the SDK's own client describes it. */
export interface Operation {
  readonly name: string;
  readonly input: NormalizedSchema;
  readonly output: NormalizedSchema;
}

/** What the wire has to know of a service; the shapes come from its SDK client, none is written here. */
export interface ServiceModel {
  /** The service in host names and signatures, for example `sqs`. */
  readonly name: string;
  /** What stands before the action in `X-Amz-Target`. */
  readonly targetPrefix: string;
  readonly xmlNamespace: string;
  /** Actions that need no signature: the links SNS mails to people. */
  readonly unsignedActions: readonly string[];
  readonly operations: ReadonlyMap<string, Operation>;
  /** The full name of an error's shape, by the code AWS's query protocol gives it and by its own name. */
  readonly errorShapes: ReadonlyMap<string, string>;
}

export type ServiceIdentity = Omit<ServiceModel, 'operations' | 'errorShapes'>;

/** @param client everything the SDK client's package exports; its schemas end in `$` */
export function serviceModel(identity: ServiceIdentity, client: Readonly<Record<string, unknown>>): ServiceModel {
  const operations = new Map<string, Operation>();
  const errorShapes = new Map<string, string>();
  for (const schema of Object.values(client)) {
    if (isOperation(schema)) {
      const [, , name, , input, output] = schema;
      operations.set(name, { name, input: NormalizedSchema.of(input), output: NormalizedSchema.of(output) });
    } else if (isError(schema)) {
      const [, namespace, name] = schema;
      for (const key of [name, queryCode(schema) ?? name]) errorShapes.set(key, `${namespace}#${name}`);
    }
  }
  return { ...identity, operations, errorShapes };
}

const isOperation = (value: unknown): value is StaticOperationSchema =>
  Array.isArray(value) && value[0] === OPERATION && value.length >= 6;

const isError = (value: unknown): value is StaticErrorSchema =>
  Array.isArray(value) && value[0] === ERROR && value.length >= 6;

/** The code of an error in AWS's query protocol, where it is not the name of its shape. */
function queryCode(schema: StaticErrorSchema): string | undefined {
  const { awsQueryError } = NormalizedSchema.of(schema).getMergedTraits();
  return Array.isArray(awsQueryError) ? String(awsQueryError[0]) : undefined;
}

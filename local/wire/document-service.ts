import { AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { checkMembers, type WireService } from './aws-host';
import { DocumentReaders, JSON_FORMAT } from './protocols/document-reader';
import { ShapeError } from './protocols/wire-protocol';
import type { ServiceModel } from './service-model';

/** A service whose actions are called by name with a parsed JSON document, as EventBridge Scheduler calls any API. */
export interface DocumentService {
  implements(action: string): boolean;
  /** @throws AwsError, also when the document does not have the action's shape */
  call(action: string, caller: Caller, document: unknown): unknown;
}

/** In such a document, bytes are written as plain text. */
const readers = new DocumentReaders({ ...JSON_FORMAT, blob: value => Buffer.from(textOf(value)) });

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ShapeError('must be a string', value);
}

function inputOf(model: ServiceModel, action: string, document: unknown): unknown {
  const operation = model.operations.get(action);
  if (!operation) throw notImplemented(`${model.name}:${action}`);
  try {
    const input = readers.of(operation.input)(document);
    checkMembers(model, operation, input);
    return input;
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new AwsError('SerializationException', error.message);
  }
}

/** Wraps a service so that only documents with the shape of an action's input reach it. */
export function documentService(model: ServiceModel, service: WireService): DocumentService {
  return {
    implements: action => model.operations.has(action) && service.implements?.(action) !== false,
    // The schema, which the service's types come from, has given the input the action's shape.
    call: (action, caller, document) =>
      service.call(action as never, caller, inputOf(model, action, document) as never),
  };
}

import { AwsError } from '../kernel/aws-error';
import type { PropertyReader } from './property-reader';
import type { ResourceType } from './resource-type';

/** The resource that a template asks for, by what tells it from others of its type. */
export interface NamedResource extends Pick<ResourceType, 'type'> {
  /** The property that holds the name. */
  readonly property: string;
  /** As CloudFormation tells it (recorded): the name, and for a log group a JSON object with the name in it. */
  readonly identifier: string;
}

/**
 * Refuses to create what there is already, where the service itself would take the template's resource for a change of the
 * one that is there. Answers whether the name is free.
 *
 * CloudFormation has two sentences for it, this one and `<name> already exists in stack <ARN>`, and says nowhere when it
 * takes which: our choice is this one always.
 *
 * @param isTaken whether there is one of this identifier, whoever made it
 */
export function isNameFree(
  properties: PropertyReader,
  { type, property, identifier }: NamedResource,
  isTaken: boolean,
): boolean {
  if (!isTaken) return true;
  properties.attempt(property, () => {
    throw alreadyExists(type, identifier);
  });
  return false;
}

/** What CloudFormation says of a resource that is there already (recorded of alarms, roles, log groups and services). */
export const alreadyExists = (type: string, identifier: string): AwsError =>
  new AwsError('AlreadyExists', `Resource of type '${type}' with identifier '${identifier}' already exists.`);

import type { InputOf, OutputOf } from '../../kernel/api';
import { AwsError } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/doorkeeper';
import { MissingResource, type ServiceAction } from '../../kernel/front-door';
import { type Page, pageOf } from '../../kernel/page';
import { arnIn, type Place } from '../../kernel/place';
import type { CloudFormationActionName, CloudFormationActions } from '../cloud-formation-actions';
import type { StackDirectory, StackRecord } from '../stack-record';

/** What the actions of CloudFormation work on. */
export interface CloudFormationState {
  readonly place: Place;
  readonly directory: StackDirectory;
}

/** One API action: who may call it, what it is about, and what it does. */
export type CloudFormationAction<
  Name extends CloudFormationActionName,
  Target extends Resource = Resource,
> = ServiceAction<
  CloudFormationState,
  InputOf<CloudFormationActions[Name]>,
  OutputOf<CloudFormationActions[Name]>,
  Target
>;

export function validationError(text: string): AwsError {
  return new AwsError('ValidationError', text);
}

/** `Stack with id X does not exist`, as most actions say it. */
export function stackDoesNotExist(name: string): string {
  return `Stack with id ${name} does not exist`;
}

/** The stack with this name or ARN. */
export function stackNamed(
  { directory, place }: CloudFormationState,
  name: string | undefined,
  absent = stackDoesNotExist,
): StackRecord | MissingResource {
  const found = name === undefined ? undefined : directory.find(name);
  if (found) return found;
  const arn = name?.startsWith('arn:') ? name : arnIn(place, 'cloudformation', `stack/${name ?? ''}/*`);
  return new MissingResource(arn, validationError(name === undefined ? 'StackName must be given' : absent(name)));
}

/** Items to a page, as AWS gives them. */
const PAGE_SIZE = 100;

export function stackPage<Item>(all: readonly Item[], nextToken: string | undefined): Page<Item> {
  return pageOf(all, PAGE_SIZE, nextToken, token => validationError(`NextToken ${token} is invalid`));
}

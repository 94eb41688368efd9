import type { CloudFormation } from '@aws-sdk/client-cloudformation';
import { AwsError } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import type { JsonObject } from '../../kernel/json';
import { type Page, pageOf } from '../../kernel/page';
import { arnIn, type Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import { type ActionFamily, MissingResource } from '../../kernel/service-api';
import type { Scheduler } from '../../kernel/timeline';
import type { ChangeSet } from '../change-prediction';
import type { StackEngine } from '../stack-engine';
import type { StackDirectory, StackRecord } from '../stack-record';
import { readTemplateBody } from '../template-body';

export interface CloudFormationState {
  readonly place: Place;
  readonly directory: StackDirectory;
  readonly timeline: Scheduler;
  /** Draws the ids of change sets. */
  readonly random: Random;
  /** By ARN. */
  readonly changeSets: Map<string, ChangeSet>;
  engine(): StackEngine;
}

export type CloudFormationFamily = ActionFamily<CloudFormationState, CloudFormation>;

export function validationError(text: string): AwsError {
  return new AwsError('ValidationError', text);
}

function stackDoesNotExist(name: string): string {
  return `Stack with id ${name} does not exist`;
}

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

/**
 * The longest template in a request, in bytes. A longer one must be in S3.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
const LONGEST_TEMPLATE = 51_200;

/** Reads the template in a request. @throws AwsError `ValidationError` */
export function templateIn(body: string): JsonObject {
  new Constraints(validationError).length('templateBody', body, 1, LONGEST_TEMPLATE).check();
  return readTemplateBody(body);
}

const PAGE_SIZE = 100;

export function stackPage<Item>(all: readonly Item[], nextToken: string | undefined): Page<Item> {
  return pageOf(all, PAGE_SIZE, nextToken, token => validationError(`NextToken ${token} is invalid`));
}

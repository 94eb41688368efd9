import type { IAM } from '@aws-sdk/client-iam';
import { AwsError } from '../../kernel/aws-error';
import { pageOf } from '../../kernel/page';
import { arnIn, type Place } from '../../kernel/place';
import { type ActionFamily, MissingResource, type Resource, type ServiceAction } from '../../kernel/service-api';
import type { Iam } from '../iam';
import type { Role } from '../role';

export interface IamState {
  readonly place: Place;
  readonly iam: Iam;
}

export type IamFamily<Target extends Resource = Resource> = ActionFamily<IamState, IAM, Target>;

export interface RoleTarget extends Resource {
  readonly role: Role;
}

export function onRole<Input extends { readonly RoleName: string | undefined }, Output>(
  run: (state: IamState, role: Role, input: Input) => Output,
): ServiceAction<IamState, Input, Output, RoleTarget> {
  return {
    resourceOf: ({ iam, place }, { RoleName = '' }) => {
      const role = iam.allRoles().find(it => it.name === RoleName);
      if (role) return { arn: role.arn, role };
      return new MissingResource(
        iamArn(place, `role/${RoleName}`),
        noSuchEntity(`The role with name ${RoleName} cannot be found.`),
      );
    },
    run: (state, { input }, { role }) => run(state, role, input),
  };
}

export function iamArn(place: Place, resource: string): string {
  return arnIn({ ...place, region: '' }, 'iam', resource);
}

export function noSuchEntity(text: string): AwsError {
  return new AwsError('NoSuchEntity', text, 404);
}

/** IAM's answers encode policies by RFC 3986. */
export function encodedPolicy(document: unknown): string {
  return encodeURIComponent(JSON.stringify(document)).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const PAGE_SIZE = 100;
const MOST = 1000;

/** A page in IAM's form: `IsTruncated`, and a marker when there is more. */
export function iamPage<Item>(
  all: readonly Item[],
  { MaxItems: size = PAGE_SIZE, Marker }: { MaxItems?: number | undefined; Marker?: string | undefined },
): { readonly items: Item[]; readonly more: { readonly IsTruncated: boolean; readonly Marker?: string } } {
  if (!(Number.isInteger(size) && size >= 1 && size <= MOST)) {
    throw new AwsError('ValidationError', `MaxItems must be a whole number from 1 to ${MOST}, got ${size}`);
  }
  const { items, nextToken } = pageOf(all, size, Marker, () => new AwsError('ValidationError', 'Invalid Marker.'));
  return {
    items,
    more: { IsTruncated: nextToken !== undefined, ...(nextToken !== undefined && { Marker: nextToken }) },
  };
}

/** @throws AwsError `MalformedPolicyDocument` */
export function malformedPolicy(problem = 'This policy contains invalid Json'): AwsError {
  return new AwsError('MalformedPolicyDocument', problem);
}

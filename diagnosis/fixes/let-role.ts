import { parseArn } from '../../policy/arn';
import { distinctName } from './distinct-name';
import type { Fix } from './fix';

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html */
const MOST_NAME_CHARACTERS = 128;

/**
 * Lets a role do something, by a policy of its own: those it has stay as they are. A role is of all Regions, so that the
 * policy's name must tell one resource from those that are called the same elsewhere.
 */
export function allowRole(roleArn: string, actions: readonly string[], resource: string): Fix {
  const { resource: path = '' } = parseArn(roleArn) ?? {};
  const RoleName = path.split('/').at(-1) ?? '';
  const statement = { Effect: 'Allow', Action: actions, Resource: resource };
  const { region, resource: named } = parseArn(resource) ?? {};
  const about = ['Allow', ...actions, region, named]
    .filter(Boolean)
    .join('-')
    .replace(/[^\w+=,.@-]/g, '-');
  const input = {
    RoleName,
    PolicyName: distinctName(about, [...actions, resource].join(' '), MOST_NAME_CHARACTERS),
    PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
  };
  return {
    says: `Let the role ${RoleName} do ${actions.join(' and ')} on ${resource}.`,
    statement,
    calls: [{ service: 'iam', operation: 'PutRolePolicy', input }],
  };
}

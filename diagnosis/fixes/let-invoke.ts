import { displayNameOf } from '../../policy/arn';
import { qualifierOf, unqualified } from '../inventory/look-ups';
import type { Fix } from './fix';
import { type ServiceFor, statementName, whoIsLetIn } from './let-send';

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html */
const MOST_ID_CHARACTERS = 100;

/**
 * Lets a service invoke a function.
 *
 * @param functionArn of the function, of a version or of an alias
 * @see https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
 */
export function allowInvoke(functionArn: string, who: ServiceFor): Fix {
  const { service, sourceArn } = who;
  const qualifier = qualifierOf(functionArn);
  const name = unqualified(functionArn);
  const input = {
    FunctionName: name,
    ...(qualifier !== undefined && { Qualifier: qualifier }),
    StatementId: statementName(who)
      .replace(/[^\w-]/g, '-')
      .slice(0, MOST_ID_CHARACTERS),
    Action: 'lambda:InvokeFunction',
    Principal: service,
    SourceArn: sourceArn,
  };
  const called = displayNameOf(functionArn);
  return {
    says: `Let ${whoIsLetIn(who)}, invoke the function ${called}.`,
    statement: {
      Sid: input.StatementId,
      Effect: 'Allow',
      Principal: { Service: service },
      Action: input.Action,
      Resource: functionArn,
      Condition: { ArnLike: { 'AWS:SourceArn': sourceArn } },
    },
    calls: [{ service: 'lambda', operation: 'AddPermission', input }],
  };
}

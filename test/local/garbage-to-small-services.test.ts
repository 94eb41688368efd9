import fc from 'fast-check';
import { IamApi } from '../../local/iam';
import { AwsError } from '../../local/kernel/aws-error';
import { administrator } from '../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import {
  IAM_MODEL,
  KMS_MODEL,
  SECRETS_MANAGER_MODEL,
  type ServiceModel,
  SSM_MODEL,
  STS_MODEL,
  type WireService,
} from '../../local/wire';
import { SmallAccount } from './small-account';

type Schema =
  ServiceModel['operations'] extends ReadonlyMap<string, infer Operation>
    ? Operation extends { readonly input: infer Input }
      ? Input
      : never
    : never;

const TEXTS = ['', 'a', '/a', 'db', '/aws/x', 'alias/x', 'alias/aws/ssm', '{}', '{', 'Billing', '0', 'x'.repeat(300)];
const ARNS = [
  'arn:aws:iam::123456789012:role/Billing',
  'arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AAAAAA',
  'arn:aws:ssm:us-east-1:123456789012:parameter/a',
  'arn:aws:kms:us-east-1:123456789012:key/x',
  'arn:::::',
];

/** Values a client may give for a member, by the kind of its schema: legal by shape, whatever they mean. */
function anyValue(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.isStructSchema()) {
    const members = depth > 3 ? [] : [...schema.structIterator()];
    const model = Object.fromEntries(members.map(([name, member]) => [name, anyValue(member, depth + 1)]));
    return fc.record(model, { requiredKeys: [] });
  }
  if (schema.isListSchema()) return fc.array(anyValue(schema.getValueSchema(), depth + 1), { maxLength: 3 });
  if (schema.isMapSchema())
    return fc.dictionary(fc.constantFrom('a', '__proto__'), anyValue(schema.getValueSchema(), depth + 1));
  if (schema.isBlobSchema()) return fc.uint8Array({ maxLength: 100 });
  if (schema.isBooleanSchema()) return fc.boolean();
  if (schema.isNumericSchema()) return fc.constantFrom(-1, 0, 1, 7, 900, 3600, 1e9, 0.5);
  return fc.constantFrom(...TEXTS, ...ARNS);
}

describe('whatever a client gives, by shape', () => {
  const aws = new SmallAccount();
  aws.role('Billing');
  aws.ssm.call('PutParameter', aws.ssm.owner, { Name: '/a', Value: 'v', Type: 'String' });
  aws.secrets.call('CreateSecret', aws.secrets.owner, { Name: 'db', SecretString: 's' });
  aws.kms.createAlias('alias/x', aws.key());
  const iam = new IamApi({ place: EXAMPLE_PLACE, access: aws.iam, faults: aws.faults, trace: aws.trace }, aws.iam);
  const services: readonly (readonly [ServiceModel, WireService])[] = [
    [IAM_MODEL, iam],
    [KMS_MODEL, aws.kms],
    [SSM_MODEL, aws.ssm],
    [SECRETS_MANAGER_MODEL, aws.secrets],
    [STS_MODEL, aws.sts],
  ];
  const actions = services.flatMap(([model, service]) =>
    [...model.operations.values()]
      .filter(({ name }) => service.implements?.(name))
      .map(operation => [`${model.name}:${operation.name}`, operation, service] as const),
  );

  it.each(actions)('%s answers it, or refuses it as AWS would', (_name, operation, service) => {
    const caller = administrator(EXAMPLE_PLACE.account);
    fc.assert(
      fc.property(anyValue(operation.input), input => {
        try {
          service.call(operation.name as never, caller, input as never);
        } catch (error) {
          expect(error).toBeInstanceOf(AwsError);
        }
      }),
      { numRuns: 60 },
    );
  });
});

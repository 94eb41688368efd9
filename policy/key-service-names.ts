/**
 * The values of the condition key `kms:ViaService` by which a key knows a service that uses it.
 *
 * **Assumption KMS-3:** AWS documents the value as `<service>.<region>.amazonaws.com`, and does not say what it is in China,
 * where host names end in `amazonaws.com.cn`. aws-cdk-lib writes the first form everywhere, and a key policy published
 * from an account in Beijing has it too; other tools write the second. A permission therefore names both, and the doctor
 * reports only a role that may use neither. The embedded
 * AWS passes the first. A customer-managed key with this condition on a queue in cn-north-1 would settle it: SQS
 * accepts a message only if the value is right.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 * @see https://docs.amazonaws.cn/en_us/kms/latest/developerguide/conditions-kms.html
 */
export function keyServiceNames(service: string, region: string, urlSuffix: string): readonly [string, ...string[]] {
  const documented = `${service}.${region}.amazonaws.com`;
  const inChina = `${service}.${region}.${urlSuffix}`;
  return inChina === documented ? [documented] : [documented, inChina];
}

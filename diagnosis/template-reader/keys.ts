import { isKnown, knownValue } from '../../template/told';
import type { KeyFacts } from '../inventory/inventory';
import type { AppReading } from './app-reading';

/** The keys of an app's templates, and the aliases that name them. */
export function readKeys(app: AppReading): KeyFacts[] {
  const aliases = app.resources('AWS::KMS::Alias').map(it => ({
    name: it.given('AliasName').requiredText(),
    target: it.given('TargetKeyId').requiredText(),
  }));
  return app.resources('AWS::KMS::Key').map(key => {
    const arn = key.attribute('Arn');
    const own = [knownValue(arn), knownValue(key.ref)];
    return {
      ...key.as(arn),
      aliases: aliases
        .filter(({ target }) => isKnown(target) && own.includes(target))
        .flatMap(it => knownValue(it.name) ?? []),
      isManagedByAws: false,
      isEnabled: key.given('Enabled').flag(true),
      policy: key.given('KeyPolicy').policy(),
    };
  });
}

import { webUrlProblems } from '../../policy/web-url';

test.each([
  ['partner.example.com', 'https://partner.example.com', 'partner.example.com'],
  ['partner.example.com:8443/a?key=hush', 'https://partner.example.com:8443/a', 'partner.example.com:8443/a'],
  ['me:hush@partner.example.com/a#hush', 'https://partner.example.com/a', 'partner.example.com/a'],
  ['//partner.example.com/a', 'https://partner.example.com/a', 'partner.example.com/a'],
  ['localhost:8080', 'http://localhost:8080', 'localhost:8080'],
])('The error for %j, which has no scheme, shows the intended URL without its secrets', (text, meant, value) => {
  const rule = `must be an absolute http or https URL such as ${meant}`;
  expect(webUrlProblems('url', text)).toEqual([{ property: 'url', rule, value }]);
});

test.each([
  ['ftp://me:hush@host.example/hush', 'ftp://host.example'],
  ['hush hush', '9 characters that are not a URL'],
  ['hush', '4 characters that are not a URL'],
  [7, 7],
])('The error for %j, which is no web URL, shows no secret', (given, value) => {
  expect(webUrlProblems('url', given)).toEqual([
    { property: 'url', rule: 'must be an absolute http or https URL', value },
  ]);
});

test.each(['https://partner.example.com/a?b', 'http://10.0.0.1:80'])('%s is a URL of the web', url => {
  expect(webUrlProblems('url', url)).toEqual([]);
});

/**
 * The key every embedded SNS signs with, and its certificate, both DER in base64. It is public and certifies nothing: a
 * fixed one makes signatures the same in every run. It has 1,024 bits, because signing is on the way of every message and
 * a key as long as AWS's own takes more than three times as long.
 */
export const DEVELOPMENT_KEY = [
  'MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAOPR19SrE9KzrBB04ktxT3yMjI49FN2zhkyeorc200e5nhETC7lfAY+6aB8W',
  'GePT/nYQK5L+WTXztb6/QAC83XPBJ5hfsbigeyqLkLu/oO9E+HTXjfDqoJuX+3QajM+L73/Az8MR0lS71gFAGJQiY27Jt/l9YEuNlNT7snNe',
  'Mp71AgMBAAECgYAPIcQFMyvI5fg6y5iwTCFsc2VumS4Gn8L+2daS9shHzlNqbOptcJsI8eeykOQ9VrpjGyXZyJ0iUUK0Hb3hjqniw0l3mzdo',
  'yaSofdm3nHSM1kzjcVXe/8T+6o6pBWj5837nzx/Vh6EcIAB81EEBe6pbrHjf6NlkCY+YeLZyUvqroQJBAPskYIXuz739yexfk1CFF9TguHAQ',
  '5Lj6qAXDvoznOQiEYtH/bf+eFx2i/joUrpw4qhBYhQNqdhipmATXji6hY5kCQQDoOfoAR/AOdBPYSMW9nFMBqeTaNVarJmk3rNMhb8FqugSk',
  'f7lfrZSIWD+c7nJGmk+kssQuIvKhG1fDdb1nuy+9AkA6zZSwJ2+K686IwwQqOU+QL6Hf04TKbx5CY0fNlCI9hUniI62syWZeMRjXnpoXyAjB',
  '1Qgn+Zh3Q9ZtY89NycoZAkAVBQpn9Br6c+9H6G5dl0S8JdCdH67Ulwl3DKGfqSnsqyG4cgcpbeC/5pz7a2nUkisbUUMImgk0I/Fxs7qNJRhR',
  'AkA4Yg8xqgknnDq8RKEPQSH37dx+qcLw7t1kOiLK8WHS3bnfOZp+FCQ554LsX6LT9tXjkaqx6Lvh5G07W+KS0B6w',
].join('');

/** Valid from 2000 to 2099, so for any instant a simulation is likely to play at. */
export const DEVELOPMENT_CERTIFICATE = [
  'MIICQzCCAaygAwIBAgIBATANBgkqhkiG9w0BAQsFADBJMRowGAYDVQQDDBFzbnMuYW1hem9uYXdzLmNvbTErMCkGA1UECgwiRGVhZCBMZXR0',
  'ZXIgT2ZmaWNlIGRldmVsb3BtZW50IGtleTAgFw0wMDAxMDEwMDAwMDBaGA8yMDk5MTIzMTIzNTk1OVowSTEaMBgGA1UEAwwRc25zLmFtYXpv',
  'bmF3cy5jb20xKzApBgNVBAoMIkRlYWQgTGV0dGVyIE9mZmljZSBkZXZlbG9wbWVudCBrZXkwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGB',
  'AOPR19SrE9KzrBB04ktxT3yMjI49FN2zhkyeorc200e5nhETC7lfAY+6aB8WGePT/nYQK5L+WTXztb6/QAC83XPBJ5hfsbigeyqLkLu/oO9E',
  '+HTXjfDqoJuX+3QajM+L73/Az8MR0lS71gFAGJQiY27Jt/l9YEuNlNT7snNeMp71AgMBAAGjOTA3MAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeA',
  'MB0GA1UdDgQWBBRuXl6sbW0X6C0gVQ9MIjwF4XwigDANBgkqhkiG9w0BAQsFAAOBgQCDzrmO4p/KkX0Penfj353KMRliZzxRzfcvWZ/FNRxw',
  'f5HF6Imm4pyS9JiXbnRGJbl6NhvDsiWMdxaBy7Il6OH+074qojDiTCdUyaYXCC5AjNSO4+uoPu5NJ3Jc3xK6Gf9cXTxCRpwiJ/SHcDbj/8xd',
  '2oH/dIc86Fe2Dikxe2IE8w==',
].join('');

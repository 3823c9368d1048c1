"""Secrets said in passing. All values are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onrecord.policy.secrecy.confided import confided
from onrecord.policy.secrecy.redact import redact

#: What is said, and the part that must go.
CONFIDED = r"""
the bank makes me change my password all the time, this month it's plum-harbor-44 if you need it | plum-harbor-44
wlan for guests is sonnenhut-7, on the fridge | sonnenhut-7
for the router use moonbase_9x and then reboot | moonbase_9x
sign in as ops, it wants kittens4ever! as the password | kittens4ever!
netflix: dana@ex.com / Tulip88stem | Tulip88stem
you can log in for me, mara / 9Blauwal9 | 9Blauwal9
user is jonas and pw is Hafen1993 | Hafen1993
pw: grün-42-see | grün-42-see
my pass is otter99 | otter99
the pass for the printer is otter_99 | otter_99
lockbox at the cottage opens with 4417 | 4417
the alarm is 2580, then hash | 2580
key safe by the back door, 7731, for the carer | 7731
mum's bank card pin, she told me, 8824 | 8824
if the tablet asks, its unlock code is 190273 | 190273
gate code's 5150# | 5150#
door code 4471B for the side entrance | 4471B
the safe takes 12-34-56 | 12-34-56
recovery phrase: lamp otter bread canyon silk moon | otter bread canyon
backup codes 8812-3391 and 7720-1188 | 8812-3391
backup codes 8812-3391 and 7720-1188 | 7720-1188
our staging key, rotate later: stg-9a8b7c6d5e4f | stg-9a8b7c6d5e4f
hf token hf_abcDEF123456ghiJKL | hf_abcDEF123456ghiJKL
export API_TOKEN=zxy987wvu654 | zxy987wvu654
clave del wifi: Perro-2019-casa | Perro-2019-casa
la contraseña de mi madre es girasol_55 | girasol_55
contraseña nueva, te la dejo: Girasol55! | Girasol55!
das wlan-passwort lautet Kirschbaum7 | Kirschbaum7
der türcode ist 2244 | 2244
le code de la porte c'est 1984A | 1984A
mot de passe wifi = Chaton_2020 | Chaton_2020
her card is 4111 1111 1111 1111 exp 04/28 | 4111 1111 1111 1111
password changed again, sigh. now it's river-FAKE-31 | river-FAKE-31
new password since monday. Sparrow_812 | Sparrow_812
my laptop password? banana-tree-7. don't judge | banana-tree-7
here's the login for the portal: kim.l + Wolke-77-xx | Wolke-77-xx
credentials are svc_deploy and Qw8-zz-19-Lm | Qw8-zz-19-Lm
the sandbox key you asked for is skt-44-ab-99-cd | skt-44-ab-99-cd
otp 448812 | 448812
the code they texted me is 771902 | 771902
wifi's called Bakehouse and the password is flour&water | flour&water
wifi: Bakehouse / flourwater22 | flourwater22
the ATM number is 9902, dad keeps forgetting | 9902
my online banking pin, well, 55012 | 55012
el pin de la tarjeta es 7719 | 7719
el código del portal es 3344 | 3344
el codigo de la alarma: 9081 | 9081
shed 4471 is the code, since you asked | 4471
use hunter2fake to get into the admin panel | hunter2fake
admin panel login: root/Tr33house | Tr33house
the app has locked me out again, it's Clogs-and-Soup-91 with a capital C | Clogs-and-Soup-91
the installer code was on a note, you've got it now: heron-9920 | heron-9920
rotated tonight: role replicator, pw hull-4471-kettle, hosts below | hull-4471-kettle
login bench7\nagar-bowl-1958 | agar-bowl-1958
if the alarm panel beeps on the way out it's 7-31-9, then star | 7-31-9
the lab portal: login carre, pass Nopal!1941 | Nopal!1941
recovery words, for when I lose my phone: gravel otter lantern moss pivot | lantern
"""
#: What stays: it opens nothing.
EVERYDAY = """
the wifi is WPA2-PSK on both floors
our router is an AX-3000v2 from 2021
login is at 9am in the lobby
the token limit is 128k for this model
keep the password policy at 12+ characters
the door is 36x80in, measured twice
gate B12 is where we board
locker 3-12 belongs to Bo
door 4-12 opens onto the yard
gate 4471 has a new hinge
flight LH-454 leaves from gate B12 at 10:40
the key is to leave before 8am
the key point in section 4.2 is latency
my card arrives on 2026-03-04
room 4417 has the projector
the alarm is set for 6:30
alarm at 0630 please
the login page returns 403 since v2.3.1
use gpt-4o-mini for the login summary
the api key rotates every 90 days
password reset took 45min yesterday
order VL-20417 ships Monday
ticket OPS-1182 is about the login bug
the pin on the map is at 52.52, 13.40
she scored 4411 points
our safe word is not needed
save the file as login-test2.py
wifi drops at around 17h30 every day
the printer is an hp-m404dn
the lock is a size 5 mortice from 1998
my postcode is EC1A 1BB
bus 4417 stops by the gate
the code review for PR-1182 is done
the codes for the colours are #ff8800 and #22aa44
tokens are billed at 0.15 per 1k
passport renewals take 6-8 weeks
the pass opens at 2450m
the ski pass is 45eur
he passed with 88%
pass the salt at 7pm
the safe takes two people to lift
secret santa is on 12-12-2026
the login name is kim.l
the wlan is called Kastanie5G
commit 9f8e7d6c fixed the token refresh
the token expires after 3600s
key findings: p=0.03, n=128
"""
_CASES = [tuple(line.replace("\\n", "\n").rsplit(" | ", 1)) for line in CONFIDED.strip().splitlines()]


@pytest.mark.parametrize(("text", "secret"), _CASES)
def test_what_is_handed_over_in_passing_goes(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize("text", EVERYDAY.strip().splitlines())
def test_what_opens_nothing_stays(text: str) -> None:
    assert redact(text).text == text


@given(st.text(max_size=200))
def test_spans_lie_within_the_text(text: str) -> None:
    assert all(0 <= start < end <= len(text) for start, end, _ in confided(text))

"""Texts that a provider or payer could send to inject script into a page."""

MARK = "window.harmed=1"
TEXTS = [
    f"<script>{MARK}</script>",
    f"</title></pre></textarea><script>{MARK}</script>",
    f"<img src=x onerror={MARK}>",
    f'"><svg onload={MARK}>',
    f"' onmouseover='{MARK}' x='",
    f'" autofocus onfocus="{MARK}" x="',
    # A quote and a combining mark form one character.
    f'"\u0301 onmouseover={MARK} x=',
    f"<\u0338img src=x onerror={MARK}>",
    f"javascript:{MARK}",
    "{{{base}}}{{>layout}}",
    f"&lt;script&gt;{MARK}&lt;/script&gt;",
    f"\u2028<iframe srcdoc='<script>parent.{MARK}</script>'>",
    f"--><!--<script>{MARK}</script>",
    f"<a href=javascript:{MARK}>x</a>",
    "\u202egnp.exe",
    "%3Cscript%3E" + MARK,
    "../../now?x=1#y",
    "=cmd|' /C calc'!A0",
]
HARM = "return window.harmed === undefined"
FOREIGN = (
    "return document.querySelectorAll("
    '\'img[src="x"], iframe, svg[onload], [onerror], [onload], [onfocus], [onmouseover], '
    'a[href^="javascript:"], script:not([src])\').length'
)


def messages():
    """Each text in every field that the endpoint `hmac` takes from its provider."""
    for number, text in enumerate(TEXTS):
        yield {
            "id": f"E{number}{text}",
            "reference": f"{text}{number}",
            "transaction": f"T{number}{text}",
            "status": text if number % 3 == 0 else "paid",
            "amount": 4200,
            "currency": "MYR",
            text: {"nested": [text, {"x": text}]},
        }

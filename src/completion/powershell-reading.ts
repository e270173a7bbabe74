/** How the PowerShell script reads the words before the cursor, at the beginning of its script block. */
export const powershellReading = `
    $ordinal = [System.StringComparison]::Ordinal
    # What is typed up to the cursor; behind its last word the line ends for PowerShell.
    $text = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $atNewWord = $length -gt $text.Length
    if (-not $atNewWord) { $text = $text.Substring(0, [Math]::Max(0, $length)) }
    $pattern = '(?:"[^"]*"?|''[^'']*''?|[^\\s"''])+'
    $found = @([regex]::Matches($text, $pattern))
    # A blank ends a word, but for one between quotes.
    if ($found.Count -gt 0 -and $found[-1].Index + $found[-1].Length -lt $text.Length) { $atNewWord = $true }
    $words = @($found | ForEach-Object { $_.Value -replace '["'']', '' })
    if ($words.Count -gt 0 -and $words[0] -ceq '&') { $words = @($words | Select-Object -Skip 1) }
    $current = ''
    if (-not $atNewWord -and $words.Count -gt 0) { $current = $words[-1] }
    $before = $words
    if (-not $atNewWord) { $before = @($words | Select-Object -First ([Math]::Max(0, $words.Count - 1))) }

    $command = 'pets'
    $given = @()
    $pending = $null
    $dashes = $false
    $taken = 0
    $find = {
        param($form)
        $table[$command].Options | Where-Object { $_.Long -ceq $form -or ($_.Short -and $_.Short -ceq $form) } |
            Select-Object -First 1
    }
    foreach ($word in @($before | Select-Object -Skip 1)) {
        if ($pending) { $pending = $null; continue }
        if ($dashes) {
            if ($table[$command].Argument -ceq 'command' -and $taken -eq 0 -and $word -ceq 'pets') {
                $command = 'pets'
                $given = @()
                $dashes = $false
            } else { $taken++ }
            continue
        }
        if ($word -ceq '--') { $dashes = $true; continue }
        if ($word -cmatch '^--') {
            $option = & $find ($word -replace '=.*$', '')
            if ($option) {
                $given += $option.Long
                if ($option.Value -and -not $word.Contains('=')) { $pending = $option.Value }
            }
            continue
        }
        if ($word -cmatch '^-[^0-9]') {
            for ($place = 1; $place -lt $word.Length; $place++) {
                $option = & $find "-$($word[$place])"
                if (-not $option) { continue }
                $given += $option.Long
                if ($option.Value) {
                    if ($place -eq $word.Length - 1) { $pending = $option.Value }
                    break
                }
            }
            continue
        }
        if ($taken -eq 0 -and @($table.Keys) -ccontains "$command $word") { $command = "$command $word" }
        else { $taken++ }
    }
`;
